#include "core/quantity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tidegate {
namespace {

struct Reading {
  const char* text;
  std::int64_t value;  // rounded up
  std::int64_t milli;
};

class QuantityReads : public testing::TestWithParam<Reading> {};

TEST_P(QuantityReads, Exactly) {
  const auto q = Quantity::parse(GetParam().text);
  ASSERT_TRUE(q) << q.error().text();
  EXPECT_EQ(q->value(), GetParam().value);
  EXPECT_EQ(q->milliValue(), GetParam().milli);
  EXPECT_EQ(Quantity::parse(q->text()), *q);
}

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
INSTANTIATE_TEST_SUITE_P(
    Forms, QuantityReads,
    testing::Values(Reading{"0", 0, 0}, Reading{"8", 8, 8000}, Reading{"+8", 8, 8000},
                    Reading{"500m", 1, 500}, Reading{"1500m", 2, 1500}, Reading{"0.5", 1, 500},
                    Reading{".5", 1, 500}, Reading{"5.", 5, 5000}, Reading{"1e3", 1000, 1'000'000},
                    Reading{"1E3", 1000, 1'000'000}, Reading{"12e-3", 1, 12},
                    Reading{"12E+3", 12'000, 12'000'000}, Reading{"0.5k", 500, 500'000},
                    Reading{"1k", 1000, 1'000'000}, Reading{"100u", 1, 1}, Reading{"1n", 1, 1},
                    Reading{"1000000n", 1, 1}, Reading{"1000001n", 1, 2}, Reading{"1Ki", 1024, 1'024'000},
                    Reading{"0.5Ki", 512, 512'000}, Reading{"1.5Gi", 1'610'612'736, 1'610'612'736'000},
                    Reading{"1Ti", 1'099'511'627'776, 1'099'511'627'776'000},
                    Reading{"12P", 12'000'000'000'000'000, kMax}, Reading{"12E", kMax, kMax},
                    Reading{"1Ei", 1'152'921'504'606'846'976, kMax},
                    Reading{"9E", 9'000'000'000'000'000'000, kMax}, Reading{"-1.5", -2, -1500},
                    Reading{"-500m", -1, -500}, Reading{"1e-400", 1, 1}, Reading{"0e99999", 0, 0},
                    Reading{"1.0000000000000000000000000000000000000000000", 1, 1000},
                    Reading{"0.00000000000000000001", 1, 1}, Reading{"-0.0000000001", -1, -1}));

class QuantityRefuses : public testing::TestWithParam<const char*> {};

TEST_P(QuantityRefuses, WithAMessage) {
  const auto q = Quantity::parse(GetParam());
  ASSERT_FALSE(q) << q->text();
  EXPECT_FALSE(q.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(Junk, QuantityRefuses,
                         testing::Values("", " ", "-", ".", "abc", "8 ", " 8", "8gb", "8Gib", "8K", "8ki",
                                         "1e", "1e+", "1e3k", "1e1.5", "1..5", "1.2.3", "--1", "1_000",
                                         "0x10", "NaN", "inf", "1Ee3", "1ee3", "1e99999999999999999999",
                                         "1e29E", "200e27", "1e30", "300000000000E",
                                         "99999999999999999999999999999999999999999999"));

TEST(Quantity, ExaIsASuffixAndNotAnExponent) {
  EXPECT_EQ(Quantity::parse("12E")->text(), "12000000000000000000");
  EXPECT_EQ(*Quantity::parse("12E3"), *Quantity::parse("12e3"));
  EXPECT_EQ(*Quantity::parse("12E"), *Quantity::parse("12000P"));
}

TEST(Quantity, PrintsPlainlyAndKeepsBinarySuffixes) {
  EXPECT_EQ(Quantity::parse("1000")->text(), "1000");
  EXPECT_EQ(Quantity::parse("0.25")->text(), "250m");
  EXPECT_EQ(Quantity::parse("1048576Ki")->text(), "1Gi");
  EXPECT_EQ(Quantity::parse("0.5Ki")->text(), "512");
  EXPECT_EQ(Quantity::ofBytes(64LL << 30).text(), "64Gi");
  EXPECT_EQ(Quantity::ofMilli(-1500).text(), "-1500m");
}

TEST(Quantity, NumbersForPeopleHaveTwoDecimalsAtMost) {
  EXPECT_EQ(Quantity::ofMilli(114286).numberText(), "114.286");
  EXPECT_EQ(Quantity::ofMilli(-1500).numberText(), "-1.5");
  EXPECT_EQ(Quantity::ofMilli(7990).numberText(), "7.99");
  EXPECT_EQ(Quantity::ofMilli(8000).numberText(), "8");
  EXPECT_EQ(Quantity::ofMilli(64001).numberText(), "64.001") << "not 64, which it may be compared with";
  EXPECT_EQ(Quantity::ofMilli(4).numberText(), "0.004");
  EXPECT_EQ(Quantity::ofBytes(64LL << 30).numberText(), "64Gi");
  EXPECT_EQ(Quantity().numberText(), "0");
}

TEST(Quantity, OrdersByValue) {
  EXPECT_LT(*Quantity::parse("999m"), *Quantity::parse("1"));
  EXPECT_LT(*Quantity::parse("-2"), *Quantity::parse("-1"));
  EXPECT_EQ(*Quantity::parse("1024"), *Quantity::parse("1Ki"));
}

RC_GTEST_PROP(Quantity, TextReadsBackAsTheSameAmount, (std::int64_t milli)) {
  const Quantity q = Quantity::ofMilli(milli);
  RC_ASSERT(Quantity::parse(q.text()).value() == q);
  RC_ASSERT(q.milliValue() == milli);
}

RC_GTEST_PROP(Quantity, BytesReadBack, (std::int32_t factor, std::uint8_t shift)) {
  const std::int64_t amount = factor * (1LL << (shift % 32));
  RC_ASSERT(Quantity::parse(Quantity::ofBytes(amount).text()).value() == Quantity::ofBytes(amount));
}

RC_GTEST_PROP(Quantity, NeverReadsBelowTheWrittenValue, ()) {
  const auto whole = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const auto places = *rc::gen::inRange<std::size_t>(1, 30);
  const auto digits = *rc::gen::container<std::string>(places, rc::gen::elementOf(std::string("0123456789")));
  const auto q = Quantity::parse(std::to_string(whole) + "." + digits);
  RC_ASSERT(q.has_value());
  const bool fraction = digits.find_first_not_of('0') != std::string::npos;
  RC_ASSERT(q->value() == whole + (fraction ? 1 : 0));
}

}  // namespace
}  // namespace tidegate
