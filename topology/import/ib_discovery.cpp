// SPDX-License-Identifier: MIT
//
// A switch or a card is a line `Switch 65 "S-guid" # "name" ...` or `Ca 1 "H-guid" # "name"`, and
// below it each port `[35] "S-guid"[32] # "name" lid 236 4xNDR`. A cable is on both of its ends.
#include "topology/import/ib_discovery.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "experiments/language/counted.hpp"
#include "topology/import/matrix_words.hpp"
#include "topology/import/switch_graph.hpp"
#include "topology/import/vertex_name.hpp"

namespace paceline {
namespace {

constexpr std::size_t kMostParts = 65536;  // switches, and cards

/// Gbit/s of data of a lane: InfiniBand Trade Association's roadmap, infinibandta.org.
struct Speed {
  std::string_view name;
  double gbit_per_s;
};
constexpr std::array<Speed, 9> kSpeeds{{{"SDR", 2.5},
                                        {"DDR", 5},
                                        {"QDR", 10},
                                        {"FDR10", 10},
                                        {"FDR", 14},
                                        {"EDR", 25},
                                        {"HDR", 50},
                                        {"NDR", 100},
                                        {"XDR", 200}}};

/// The rate of a port, "4xNDR"; 0 if the text has another form.
double rate_of(std::string_view text) {
  constexpr int kMostLanes = 12;
  int lanes = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  if (error != std::errc{} || lanes < 1 || lanes > kMostLanes) return 0;
  const std::string_view name = text.substr(static_cast<std::size_t>(rest - text.data()));
  for (const Speed& speed : kSpeeds) {
    if (name.size() > 1 && name[0] == 'x' && name.substr(1) == speed.name)
      return lanes * speed.gbit_per_s;
  }
  return 0;
}

/// The text between the first two quotes from `from` on; "" if there is none.
std::string quoted(std::string_view line, std::size_t from = 0) {
  const std::size_t open = line.find('"', from);
  const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
  return close == std::string_view::npos ? ""
                                         : std::string(line.substr(open + 1, close - open - 1));
}

/// The computer in the name of a card, "node17" of "node17 mlx5_0"; "" for the name of a model,
/// which a card has until its computer sets another.
std::string computer_in(const std::string& name) {
  const std::size_t blank = name.find(' ');
  const bool model = blank == std::string::npos || name.find("Mellanox") != std::string::npos ||
                     name.find("ConnectX") != std::string::npos || name.starts_with("MT");
  return model ? "" : name.substr(0, blank);
}

struct Part {
  bool is_switch = false;
  std::string name;
  int line = 0;
};

struct Cable {
  std::string from, to;  // parts
  double gbit_per_s = 0;
};

class IbReader final {
 public:
  IbReader(const std::string& file, const std::string& text)
      : file_(std::make_shared<const std::string>(file)), text_(text) {}
  NetworkInventory read();

 private:
  void read_line(std::string_view line, int number);
  void add_part(std::string_view line, int number);
  void add_cable(std::string_view line, int number);
  void count_cards();
  std::optional<int> computer_of(const Part& card);
  SwitchGraph graph();
  std::vector<std::string> notes() const;

  std::shared_ptr<const std::string> file_;
  const std::string& text_;
  std::map<std::string, Part> parts_;  // by "S-guid" and "H-guid"
  std::vector<Cable> cables_;
  std::string current_;
  std::map<std::string, int> cards_;      // by computer
  std::map<std::string, int> computers_;  // numbers
  int usual_ = 1;                         // cards of a computer
  std::size_t aggregation_ = 0, unnamed_ = 0;
  std::set<std::string> others_;  // computers that are left out
};

void IbReader::add_part(std::string_view line, int number) {
  const std::string guid = quoted(line);
  if (guid.empty()) throw SpecError({file_, number, 1}, "the line has no GUID in quotes");
  const std::size_t comment = line.find('#');
  Part part{line.starts_with("Switch"), "", number};
  if (comment != std::string_view::npos) part.name = quoted(line, comment);
  const auto [row, added] = parts_.emplace(guid, std::move(part));
  if (!added) {
    throw SpecError({file_, number, 1}, quote(std::string_view(guid).substr(0, 40)) +
                                            " is on line " + std::to_string(row->second.line) +
                                            " too");
  }
  if (parts_.size() > kMostParts)
    throw SpecError({file_, number, 1}, "too many switches and cards");
  current_ = guid;
}

void IbReader::add_cable(std::string_view line, int number) {
  if (current_.empty()) {
    throw SpecError({file_, number, 1},
                    "a port before any switch or card (give all that `ibnetdiscover` prints)");
  }
  Cable cable{current_, quoted(line), 0};
  if (cable.to.empty()) throw SpecError({file_, number, 1}, "the port has no GUID in quotes");
  const std::size_t last = line.find_last_of(" \t");
  if (last != std::string_view::npos) cable.gbit_per_s = rate_of(line.substr(last + 1));
  cables_.push_back(std::move(cable));
}

void IbReader::read_line(std::string_view line, int number) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  if (line.starts_with("Switch") || line.starts_with("Ca\t") || line.starts_with("Ca ")) {
    add_part(line, number);
  } else if (line.starts_with("Rt\t") || line.starts_with("Rt ")) {
    throw SpecError({file_, number, 1}, "routers between InfiniBand networks are not imported");
  } else if (line.starts_with('[')) {
    add_cable(line, number);
  }
}

/// Counts the cards of each computer, and how many most have.
void IbReader::count_cards() {
  for (const Cable& cable : cables_) {
    const Part& from = parts_.at(cable.from);
    const std::string computer = from.is_switch ? "" : computer_in(from.name);
    if (!computer.empty()) ++cards_[computer];
  }
  std::map<int, int> times;
  for (const auto& [name, count] : cards_) ++times[count];
  const auto most = std::ranges::max_element(times, {}, &std::pair<const int, int>::second);
  if (most != times.end()) usual_ = most->first;
}

/// The number of the computer of a card, which is added if it is new; nothing for parts that are no
/// computers for training.
std::optional<int> IbReader::computer_of(const Part& card) {
  if (card.name.find("Aggregation Node") != std::string::npos) {
    ++aggregation_;
    return std::nullopt;
  }
  const std::string name = computer_in(card.name);
  if (name.empty()) {
    ++unnamed_;
    return SwitchGraph::kUnnamed;
  }
  if (cards_.at(name) * 2 <= usual_) {
    others_.insert(name);
    return std::nullopt;
  }
  return computers_.emplace(name, static_cast<int>(computers_.size())).first->second;
}

/// Each cable once: of a switch and a card from the card's side, of two switches from the side of
/// the first.
SwitchGraph IbReader::graph() {
  SwitchGraph graph;
  graph.origin = "a list of ibnetdiscover";
  std::map<std::string, int> switches;
  for (const auto& [guid, part] : parts_) {
    if (part.is_switch) switches.emplace(guid, graph.switches++);
  }
  count_cards();
  for (const Cable& cable : cables_) {
    const Part& from = parts_.at(cable.from);
    const auto to = switches.find(cable.to);
    if (to == switches.end()) continue;
    if (!from.is_switch) {
      if (const std::optional<int> computer = computer_of(from))
        graph.ports.push_back({*computer, to->second, cable.gbit_per_s});
    } else if (cable.from < cable.to) {
      graph.trunks.push_back({switches.at(cable.from), to->second, cable.gbit_per_s});
    }
  }
  graph.computers = static_cast<int>(computers_.size());
  graph.notes = notes();
  return graph;
}

std::vector<std::string> IbReader::notes() const {
  std::vector<std::string> notes;
  if (aggregation_ > 0) {
    notes.push_back(counted(aggregation_, "aggregation node") +
                    " of the switches (SHARP): not computers");
  }
  if (unnamed_ > 0) {
    notes.push_back(counted(unnamed_, "card") +
                    " without a computer's name: counted as of computers like the others");
  }
  if (!others_.empty()) {
    notes.push_back(counted(others_.size(), "computer") +
                    " with half as many cards as most, or fewer, such as '" +
                    vertex_name(*others_.begin(), "storage") + "': left out");
  }
  return notes;
}

NetworkInventory IbReader::read() {
  int number = 1;
  for (std::size_t begin = 0; begin < text_.size(); ++number) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    read_line(std::string_view(text_).substr(begin, end - begin), number);
    begin = end + 1;
  }
  SwitchGraph all = graph();
  if (all.ports.empty()) {
    throw SpecError({file_, 0, 0},
                    "no card of a computer on a switch (give all that `ibnetdiscover` prints)");
  }
  return network_of(std::move(all));
}

}  // namespace

bool is_ib_discovery(const std::string& text) {
  return std::ranges::any_of(matrix_lines(text), [](const MatrixLine& line) {
    return line.size() > 2 && (line[0].text == "Switch" || line[0].text == "Ca") &&
           (line[2].text.starts_with("\"S-") || line[2].text.starts_with("\"H-"));
  });
}

NetworkInventory network_of_ib(const std::string& file, const std::string& text) {
  return IbReader(file, text).read();
}

}  // namespace paceline
