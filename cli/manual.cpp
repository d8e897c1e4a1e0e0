// SPDX-License-Identifier: MIT
// Manual pages in the macros of man(7), made from the tables of commands and options.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/timestamp.hpp"
#include "cli/version.hpp"
#include "cli/wrapped_text.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/whole_file.hpp"

namespace paceline {
namespace {

/// Text without meaning to roff: hyphens of options are minus signs, and no line is a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out.append("\\&") += c;
    } else {
      out += c;
    }
  }
  return out;
}

/// Text in lines of at most 80 bytes, escapes included.
std::string paragraph(const std::string& text) {
  constexpr std::size_t kWidth = 70;
  return roff(wrapped(text, 0, 0, kWidth));
}

std::string as_sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + (text.ends_with('.') ? "" : ".");
}

/// The date of the page: that of SOURCE_DATE_EPOCH if it is set, so that builds are reproducible.
std::string date() {
  constexpr std::size_t kDate = 10;  // "2026-01-02"
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr) return utc_now().substr(0, kDate);
  const std::string_view text(epoch);
  long seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(seconds))));
  const auto two = [](unsigned number) {
    return (number < 10 ? "-0" : "-") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(day.year())) + two(static_cast<unsigned>(day.month())) +
         two(static_cast<unsigned>(day.day()));
}

std::string name_of_page(const CommandRow* command) {
  return "paceline" + (command != nullptr ? "-" + command->name : "");
}

std::string head(const CommandRow* command, const std::string& summary) {
  std::string title = name_of_page(command);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + title + " 1 " + date() + " \"Paceline " + version() +
         "\" \"User Commands\"\n.SH NAME\n" + roff(name_of_page(command)) + " \\-\n" +
         paragraph(summary);
}

/// Operands with their names in italics: "[FILE...]".
std::string operands(const std::string& text) {
  std::string out;
  bool in_name = false;
  for (const char c : text) {
    const bool is_name = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (is_name != in_name) out += is_name ? "\\fI" : "\\fR";
    in_name = is_name;
    out += c;
  }
  return out + (in_name ? "\\fR" : "");
}

std::string item(const std::string& term, const std::string& meaning) {
  return ".TP\n" + term + "\n" + paragraph(meaning);
}

std::string exit_status() {
  std::string text = ".SH \"EXIT STATUS\"\n";
  for (const ExitCode& code : exit_codes()) text += item(code.code, as_sentence(code.meaning));
  return text;
}

std::string options(const CommandRow& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionRow& option : option_rows()) {
    if (std::ranges::find(command.options, option.name) == command.options.end()) continue;
    std::string term = "\\fB" + roff(option.name) + "\\fR";
    if (!option.value.empty()) term += " \\fI" + roff(option.value) + "\\fR";
    text += item(term, as_sentence(meaning_of(option, command)));
  }
  return text + item("\\fB\\-\\-help\\fR", "Prints the options of the command.");
}

std::string page_of(const CommandRow& command) {
  std::string text = head(&command, command.help) + ".SH SYNOPSIS\n.B paceline " +
                     roff(command.name) + "\n[\\fIOPTION\\fR...]\n";
  if (!command.operands.empty()) text += operands(command.operands) + "\n";
  text += ".SH DESCRIPTION\n" + paragraph(as_sentence(command.help));
  if (!command.details.empty()) {
    text += ".PP\n.nf\n" + roff(command.details) + (command.details.ends_with('\n') ? "" : "\n") +
            ".fi\n";
  }
  return text + options(command) + exit_status() + ".SH \"SEE ALSO\"\n.BR paceline (1)\n";
}

std::string page_of_program() {
  std::string text =
      head(nullptr, "predict and measure how distributed training scales") +
      ".SH SYNOPSIS\n.B paceline\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n"
      ".SH DESCRIPTION\n" +
      paragraph(
          "An experiment is a YAML file that names a model, a machine, and when gradients are "
          "applied. Paceline predicts its throughput and loss, trains it for real on threads or "
          "GPUs, and compares the two.") +
      ".SH COMMANDS\n";
  for (const CommandRow& command : commands()) {
    text += item("\\fB" + roff(command.name) + "\\fR" +
                     (command.operands.empty() ? "" : " " + operands(command.operands)),
                 as_sentence(command.help));
  }
  text += ".SH OPTIONS\n" + item("\\fB\\-\\-help\\fR", "Lists the commands.") +
          item("\\fB\\-\\-version\\fR", "Prints the version.") + exit_status();
  text += ".SH \"SEE ALSO\"\n";
  for (const CommandRow& command : commands()) {
    const bool last = &command == &commands().back();
    text += ".BR paceline\\-" + roff(command.name) + " (1)" + (last ? "" : ",") + "\n";
  }
  return text;
}

int manual(const Options& options, const Terminal& terminal) {
  if (!options.output.empty() && options.operands.empty()) {
    const std::filesystem::path folder(options.output);
    write_whole(folder / "paceline.1", page_of_program());
    for (const CommandRow& command : commands()) {
      write_whole(folder / (name_of_page(&command) + ".1"), page_of(command));
    }
    return kDone;
  }
  if (options.operands.size() > 1 || !options.output.empty()) {
    throw SpecError("paceline: error: manual takes one command, or -o for the pages of all");
  }
  terminal.out << (options.operands.empty() ? page_of_program()
                                            : page_of(find_command(options.operands.front())));
  return kDone;
}

}  // namespace

CommandRow manual_command() {
  return {"manual",
          "[COMMAND]",
          "print the manual page of the program, or of a command",
          {"-o"},
          manual,
          "folder to write the pages of the program and of all commands to",
          "To read a page: paceline manual simulate | man -l -\n",
          {"<commands>"}};
}

}  // namespace paceline
