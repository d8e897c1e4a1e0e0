// SPDX-License-Identifier: MIT
#include "experiments/language/unit_table.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "experiments/language/yaml.hpp"

namespace paceline {
namespace {

template <class Q>
double read(const std::string& text) {
  Diagnostics diagnostics;
  Q value;
  EXPECT_TRUE(Value<Q>::read(value, Tree::scalar(text), diagnostics)) << text;
  return value.value();
}

template <class Q>
std::string print(double value) {
  return to_flow(Value<Q>::write(Q{value}));
}

TEST(Quantities, AreReadExactly) {
  EXPECT_EQ(read<Seconds>("10 us"), 1e-5);
  EXPECT_EQ(read<Seconds>("1.3 us"), 1.3e-6);
  EXPECT_EQ(read<Seconds>("80 ms"), 0.08);
  EXPECT_EQ(read<Seconds>("2 h"), 7200);
  EXPECT_EQ(read<Bytes>("25 MiB"), 26214400);
  EXPECT_EQ(read<Bytes>("25MiB"), 26214400);
  EXPECT_EQ(read<Bytes>("25    MiB"), 26214400);
  EXPECT_EQ(read<BytesPerSecond>("100 Gbit/s"), 12.5e9);
  EXPECT_EQ(read<BytesPerSecond>("4.8 TB/s"), 4.8e12);
  EXPECT_EQ(read<Flops>("3.9 GFLOP"), 3.9e9);
  EXPECT_EQ(read<FlopsPerSecond>("10.6 TFLOP/s"), 10.6e12);
  EXPECT_EQ(read<Seconds>("-1.5e-3 s"), -0.0015);
  EXPECT_EQ(read<Watts>("0.3 kW"), 300);
  EXPECT_EQ(read<DollarsPerHour>("0.9 USD/h"), 0.9);
}

TEST(Quantities, AUnitInOtherWordsIsSuggested) {
  const auto error_of = [](auto out, const std::string& text) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Value<decltype(out)>::read(out, Tree::scalar(text), diagnostics));
    return diagnostics.lines().front();
  };
  EXPECT_EQ(error_of(Seconds{}, "20 msec"),
            "input: error: '20 msec' is not a time (did you mean '20 ms'?)");
  EXPECT_EQ(error_of(Seconds{}, "20 milliseconds"),
            "input: error: '20 milliseconds' is not a time (did you mean '20 ms'?)");
  EXPECT_EQ(error_of(Seconds{}, "3 Minutes"),
            "input: error: '3 Minutes' is not a time (did you mean '3 min'?)");
  EXPECT_EQ(error_of(Bytes{}, "1.5 gib"),
            "input: error: '1.5 gib' is not a size (did you mean '1.5 GiB'?)");
  EXPECT_EQ(error_of(BytesPerSecond{}, "100 Gb/s"),
            "input: error: '100 Gb/s' is not a bandwidth (did you mean '100 Gbit/s'?)");
  EXPECT_EQ(error_of(BytesPerSecond{}, "100 Gbps"),
            "input: error: '100 Gbps' is not a bandwidth (did you mean '100 Gbit/s'?)");
}

TEST(Quantities, WordsOfUnits) {
  EXPECT_EQ(unit_of_word("millisecond"), "ms");
  EXPECT_EQ(unit_of_word("nanos"), "ns");
  EXPECT_EQ(unit_of_word("ms"), "");  // the symbol itself is no word
  EXPECT_EQ(unit_of_word("steps"), "");
}

TEST(Quantities, NeedTheirUnit) {
  Diagnostics diagnostics;
  Seconds out{7};
  EXPECT_FALSE(Value<Seconds>::read(out, Tree::scalar("5"), diagnostics));
  EXPECT_FALSE(Value<Seconds>::read(out, Tree::scalar("5 MB"), diagnostics));
  EXPECT_EQ(out, Seconds{7});
  EXPECT_EQ(
      diagnostics.lines(),
      (std::vector<std::string>{
          "input: error: '5' is not a time (write a number and one of: ns, us, ms, s, min, h)",
          "input: error: '5 MB' is not a time (write a number and one of: ns, us, ms, s, min, "
          "h)"}));
}

TEST(PrintQuantity, ChoosesAReadableUnit) {
  EXPECT_EQ(print<Seconds>(0.1), "100 ms");
  EXPECT_EQ(print<Seconds>(1e-5), "10 us");
  EXPECT_EQ(print<Seconds>(1.3e-6), "1.3 us");
  EXPECT_EQ(print<Seconds>(0.3), "300 ms");
  EXPECT_EQ(print<Seconds>(90), "90 s");
  EXPECT_EQ(print<Seconds>(7200), "2 h");
  EXPECT_EQ(print<Seconds>(0), "0 s");
  EXPECT_EQ(print<Seconds>(5e-10), "0.5 ns");
  EXPECT_EQ(print<Seconds>(-0.002), "-2 ms");
  EXPECT_EQ(print<Bytes>(26214400), "25 MiB");
  EXPECT_EQ(print<Bytes>(100e6), "100 MB");
  EXPECT_EQ(print<Bytes>(1e6), "1 MB");
  EXPECT_EQ(print<Bytes>(1024), "1 KiB");
  EXPECT_EQ(print<Bytes>(500), "500 B");
  EXPECT_EQ(print<Bytes>(1500), "1.5 kB");
  EXPECT_EQ(print<Bytes>(0), "0 B");
  EXPECT_EQ(print<BytesPerSecond>(12e9), "12 GB/s");
  EXPECT_EQ(print<BytesPerSecond>(12.5e9), "12.5 GB/s");
  EXPECT_EQ(print<BytesPerSecond>(4.8e12), "4.8 TB/s");
  EXPECT_EQ(print<Flops>(3.9e9), "3.9 GFLOP");
  EXPECT_EQ(print<FlopsPerSecond>(10.6e12), "10.6 TFLOP/s");
  EXPECT_EQ(print<Watts>(250), "250 W");
  EXPECT_EQ(print<Watts>(2400), "2.4 kW");
  EXPECT_EQ(print<DollarsPerHour>(0.9), "0.9 USD/h");
}

template <class Q>
void expect_round_trips(int low_exponent, int high_exponent) {
  std::mt19937_64 random(7);
  const auto span = static_cast<std::uint64_t>(high_exponent - low_exponent);
  for (int i = 0; i < 2000; ++i) {
    const double digits = static_cast<double>(random()) / 0x1p64;
    const double value = digits * std::pow(10, low_exponent + static_cast<int>(random() % span));
    const std::string text = print<Q>(value);
    EXPECT_EQ(read<Q>(text), value) << text;
  }
}

TEST(PrintQuantity, ReadsBackExactly) {
  expect_round_trips<Seconds>(-15, 9);
  expect_round_trips<Bytes>(-3, 18);
  expect_round_trips<BytesPerSecond>(-3, 18);
  expect_round_trips<FlopsPerSecond>(-3, 21);
  expect_round_trips<Watts>(-3, 9);
  expect_round_trips<DollarsPerHour>(-3, 9);
}

}  // namespace
}  // namespace paceline
