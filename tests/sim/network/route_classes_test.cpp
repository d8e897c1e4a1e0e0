// SPDX-License-Identifier: MIT
#include "sim/network/route_classes.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::ElementsAre;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

RouteId add(RouteClasses& routes, std::vector<Use> uses, double limit = kUnlimited) {
  return routes.add_route(uses, limit);
}

std::vector<Use> uses_of(const RouteClasses& routes, RouteId route) {
  const auto uses = routes.uses_of(routes.class_of(route));
  return {uses.begin(), uses.end()};
}

// System:   worker w: own link (25) -> server link (10), for 1024 workers
// Expected: one class, limited by the server link, which dominates the own links.
TEST(RouteClasses, WorkersBehindOneServerLinkAreAlike) {
  RouteClasses routes;
  const ResourceId server = routes.add_resource(10);
  std::set<FlowClassId> classes;
  std::vector<RouteId> ids;
  ids.reserve(1024);
  for (int worker = 0; worker < 1024; ++worker)
    ids.push_back(add(routes, {{routes.add_resource(25)}, {server}}));
  routes.regroup();
  for (const RouteId id : ids) classes.insert(routes.class_of(id));
  EXPECT_EQ(classes.size(), 1u);
  EXPECT_THAT(uses_of(routes, ids.front()), ElementsAre(Use{server}));
}

// System:   own links (4) slower than the server's (10)
// Expected: both stay: a single flow is limited by its own link, many flows by the server's. But
//           while a worker has a single flow, its own link is only a limit of 4, which all workers
//           have in common.
TEST(RouteClasses, SlowerOwnLinkIsKept) {
  RouteClasses routes;
  const ResourceId server = routes.add_resource(10);
  const ResourceId a = routes.add_resource(4);
  const ResourceId b = routes.add_resource(4);
  const RouteId from_a = add(routes, {{a}, {server}});
  const RouteId from_b = add(routes, {{b}, {server}});
  routes.regroup();
  EXPECT_THAT(uses_of(routes, from_a), ElementsAre(Use{server}, Use{a}));
  EXPECT_NE(routes.class_of(from_a), routes.class_of(from_b));
  const FlowClassId solo = routes.solo_class_of(from_a);
  EXPECT_EQ(solo, routes.solo_class_of(from_b));
  EXPECT_THAT(routes.uses_of(solo), ElementsAre(Use{server}));
  EXPECT_EQ(routes.limit_of(solo), 4);

  const RouteId over_a = add(routes, {{a}});  // now a is no longer used by the first route alone
  EXPECT_THAT(routes.regroup(), ElementsAre(from_a, over_a));
  EXPECT_EQ(routes.solo_class_of(from_a), routes.class_of(from_a));
}

// System:   rank r sends up its link and down the next rank's, all of 10, over a ring of 4
// Expected: a different single resource for each; of two that tie, the lower id.
TEST(RouteClasses, RingOverASwitchIsOneResourceARank) {
  RouteClasses routes;
  std::vector<ResourceId> up;
  std::vector<ResourceId> down;
  for (int rank = 0; rank < 4; ++rank) {
    up.push_back(routes.add_resource(10));
    down.push_back(routes.add_resource(10));
  }
  std::vector<RouteId> ids;
  for (std::size_t rank = 0; rank < 4; ++rank)
    ids.push_back(add(routes, {{up[rank]}, {down[(rank + 1) % 4]}}));
  routes.regroup();
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(uses_of(routes, ids[rank]),
                ElementsAre(Use{std::min(up[rank], down[(rank + 1) % 4])}));
  }
}

// System:   a (10, coefficient 3) and b (5, coefficient 1) on one route
// Expected: a stays: it is full at rate 3.3, b only at 5.
TEST(RouteClasses, CoefficientsCountInDomination) {
  RouteClasses routes;
  const ResourceId a = routes.add_resource(10);
  const ResourceId b = routes.add_resource(5);
  const RouteId route = add(routes, {{a, 3}, {b, 1}});
  routes.regroup();
  EXPECT_THAT(uses_of(routes, route), ElementsAre(Use{a, 3}));
  EXPECT_TRUE(routes.dominated(b));
}

// System:   a and b (both 10) on one route; then a second route over b alone; then a third over a
//           alone (the example in route_classes.cpp)
// Expected: a, the lower of two equals; then b alone, because a's route uses b too; then both.
TEST(RouteClasses, LaterRoutesCanBreakADomination) {
  RouteClasses routes;
  const ResourceId a = routes.add_resource(10);
  const ResourceId b = routes.add_resource(10);
  const RouteId both = add(routes, {{a}, {b}});
  EXPECT_THAT(routes.regroup(), ElementsAre(both));
  EXPECT_THAT(uses_of(routes, both), ElementsAre(Use{a}));

  const RouteId only_b = add(routes, {{b}});
  EXPECT_THAT(routes.regroup(), ElementsAre(both, only_b));
  EXPECT_THAT(uses_of(routes, both), ElementsAre(Use{b}));
  EXPECT_EQ(routes.class_of(both), routes.class_of(only_b));

  const RouteId only_a = add(routes, {{a}});
  EXPECT_THAT(routes.regroup(), ElementsAre(both, only_a));
  EXPECT_THAT(uses_of(routes, both), ElementsAre(Use{a}, Use{b}));
}

// A limit that is not below the rate of a flow alone never binds, so it makes no class of its own.
TEST(RouteClasses, LimitBeyondReachIsNone) {
  RouteClasses routes;
  const ResourceId link = routes.add_resource(10);
  const RouteId free = add(routes, {{link}});
  const RouteId loose = add(routes, {{link}}, 10);
  const RouteId tight = add(routes, {{link}}, 9);
  routes.regroup();
  EXPECT_EQ(routes.class_of(free), routes.class_of(loose));
  EXPECT_NE(routes.class_of(free), routes.class_of(tight));
  EXPECT_EQ(routes.limit_of(routes.class_of(tight)), 9);
}

TEST(RouteClasses, ResourceNamedTwiceIsAddedUp) {
  RouteClasses routes;
  const ResourceId link = routes.add_resource(10);
  const RouteId route = add(routes, {{link, 1}, {link, 0.5}});
  EXPECT_EQ(routes.coefficient(route, link), 1.5);
}

TEST(RouteClasses, RefusesWhatMakesNoSense) {
  RouteClasses routes;
  EXPECT_THROW(routes.add_resource(0), std::invalid_argument);
  EXPECT_THROW(routes.add_resource(kUnlimited), std::invalid_argument);
  const ResourceId link = routes.add_resource(1);
  EXPECT_THROW(add(routes, {{link, 0}}), std::invalid_argument);
  EXPECT_THROW(add(routes, {{link}}, 0), std::invalid_argument);
  EXPECT_THROW(add(routes, {{ResourceId{7}}}), std::invalid_argument);
}

/// By definition: whether some other link fills up no later on each route over `weak`.
bool is_dominated(const RouteClasses& routes, const std::vector<ResourceId>& links,
                  ResourceId weak) {
  const auto over = routes.routes_over(weak);
  return std::ranges::any_of(links, [&](ResourceId strong) {
    if (strong == weak || over.empty()) return false;
    bool equal = routes.routes_over(strong).size() == over.size();
    for (const RouteId route : over) {
      const double strong_share = routes.coefficient(route, strong) / routes.capacity(strong);
      const double weak_share = routes.coefficient(route, weak) / routes.capacity(weak);
      if (strong_share < weak_share) return false;
      equal = equal && strong_share == weak_share;
    }
    return !equal || strong < weak;
  });
}

// System:   random routes over a few links of two capacities
// Expected: links are dominated by definition, and classes the same, whether routes are grouped one
//           by one or all at once.
TEST(RouteClasses, GroupedOneByOneAsAllAtOnce) {
  std::mt19937 random(1);
  const auto pick = [&random](std::size_t below) { return random() % below; };
  for (int round = 0; round < 300; ++round) {
    RouteClasses one_by_one, at_once;
    std::vector<ResourceId> links;
    for (std::size_t i = 0, count = 2 + pick(6); i < count; ++i) {
      const double capacity = pick(2) == 0 ? 10 : 5;
      links.push_back(one_by_one.add_resource(capacity));
      at_once.add_resource(capacity);
    }
    std::vector<RouteId> ids;
    for (std::size_t i = 0, count = 1 + pick(30); i < count; ++i) {
      std::vector<Use> uses;
      for (std::size_t u = 0, some = 1 + pick(4); u < some; ++u)
        uses.push_back({links[pick(links.size())], pick(4) == 0 ? 2.0 : 1.0});
      ids.push_back(add(one_by_one, uses));
      add(at_once, uses);
      one_by_one.regroup();
    }
    at_once.regroup();
    for (const ResourceId link : links) {
      EXPECT_EQ(one_by_one.dominated(link), is_dominated(one_by_one, links, link));
      EXPECT_EQ(at_once.dominated(link), is_dominated(at_once, links, link));
    }
    const auto same = [&](FlowClassId a, FlowClassId b) {
      return std::ranges::equal(one_by_one.uses_of(a), at_once.uses_of(b)) &&
             one_by_one.limit_of(a) == at_once.limit_of(b);
    };
    for (const RouteId id : ids) {
      EXPECT_TRUE(same(one_by_one.class_of(id), at_once.class_of(id))) << "round " << round;
      EXPECT_TRUE(same(one_by_one.solo_class_of(id), at_once.solo_class_of(id)))
          << "round " << round;
    }
  }
}

}  // namespace
}  // namespace paceline
