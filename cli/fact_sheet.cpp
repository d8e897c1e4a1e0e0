// SPDX-License-Identifier: MIT
#include "cli/fact_sheet.hpp"

#include <algorithm>

#include "cli/text_table.hpp"
#include "cli/wrapped_text.hpp"

namespace paceline {
namespace {

/// True if all cells of a column begin with a digit; the column is then aligned to the right.
bool is_number(const FactTable& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [column](const std::vector<Fact>& row) {
    const std::string& text = row[column].text;
    return text.empty() || (text[0] >= '0' && text[0] <= '9');
  });
}

std::string text_of(const FactTable& table, TableStyle style) {
  const std::string indent = style == TableStyle::markdown ? "" : "  ";
  std::vector<TextColumn> columns{{indent + table.columns.front()}};
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    columns.push_back({table.columns[i], is_number(table, i)});
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Fact>& facts : table.rows) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const Fact& fact : facts) row.push_back((row.empty() ? indent : "") + fact.text);
  }
  return table.title + "\n" + text_table(columns, rows, style);
}

std::size_t widest_of(const auto& named) {
  std::size_t widest = 0;
  for (const auto& [name, value] : named) widest = std::max(widest, name.size());
  return std::min<std::size_t>(widest, 24);
}

}  // namespace

Fact Fact::of(const std::string& text) {
  return {text, Tree::quoted_scalar(text)};
}

Fact Fact::of(std::int64_t number) {
  return {std::to_string(number), Tree::scalar(std::to_string(number))};
}

std::string FactSheet::text() const {
  std::string out = wrapped(title, 0, 2);
  if (!facts.empty()) {
    Glossary list(widest_of(facts));
    for (const auto& [name, fact] : facts) list.add(name, fact.text);
    out += "\n" + list.text();
  }
  for (const FactTable& table : tables) out += "\n" + text_of(table, TableStyle::aligned);
  if (notes.empty()) return out;
  Glossary list(widest_of(notes));
  for (const auto& [name, note] : notes) list.add(name, note);
  return out + "\n" + notes_title + "\n" + list.text();
}

std::string FactSheet::markdown() const {
  constexpr TableStyle kStyle = TableStyle::markdown;
  std::string out = "### " + title + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, fact] : facts) rows.push_back({name, fact.text});
  if (!rows.empty()) out += text_table({{"fact"}, {"value"}}, rows, kStyle);
  for (const FactTable& table : tables) out += "\n" + text_of(table, kStyle);
  rows.clear();
  for (const auto& [name, note] : notes) rows.push_back({name, note});
  if (!rows.empty()) out += text_table({{notes_title}, {"text"}}, rows, kStyle);
  return page_of(out, kStyle);
}

Tree FactSheet::json() const {
  Tree tree = Tree::map();
  tree.set("title", Tree::quoted_scalar(title));
  for (const auto& [name, fact] : facts) tree.set(name, fact.exact);
  for (const FactTable& table : tables) {
    std::vector<Tree> rows;
    for (const std::vector<Fact>& facts_of_row : table.rows) {
      Tree& row = rows.emplace_back(Tree::map());
      for (std::size_t i = 0; i < facts_of_row.size(); ++i) {
        row.set(table.columns[i], facts_of_row[i].exact);
      }
    }
    tree.set(table.title, Tree::list(std::move(rows)));
  }
  if (notes.empty()) return tree;
  Tree of_notes = Tree::map();
  for (const auto& [name, note] : notes) of_notes.set(name, Tree::quoted_scalar(note));
  tree.set(notes_title, std::move(of_notes));
  return tree;
}

}  // namespace paceline
