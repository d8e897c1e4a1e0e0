// SPDX-License-Identifier: MIT
#include "training/strategies/policies/update_policy.hpp"

namespace paceline {

const Family<UpdatePolicy>& table_of(const UpdatePolicy*) {
  static const Family<UpdatePolicy> table{
      "update policy",
      {sync_policy(), k_sync_policy(), k_batch_sync_policy(), async_policy(), k_async_policy(),
       k_batch_async_policy(), ssp_policy(), downpour_policy(), local_sgd_policy(),
       adasync_policy()}};
  return table;
}

}  // namespace paceline
