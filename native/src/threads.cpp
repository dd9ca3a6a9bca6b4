// The processors available to this process.
#include "learnable/threads/thread_count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace learnable_threads {

static int processors_of_affinity() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

static int rounded_up(double quota, double period) {
  return quota > 0 && period > 0 ? std::max(1, int(std::ceil(quota / period))) : max_threads;
}

// Processor quota of the control group of this process, in whole processors; max_threads if unlimited.
static int processors_of_cgroup() {
  std::string line, folder;
  for (std::ifstream groups("/proc/self/cgroup"); std::getline(groups, line);)
    if (line.rfind("0::", 0) == 0) folder = line.substr(3);
  int quota_processors = max_threads;
  for (const std::string& path : {"/sys/fs/cgroup" + folder, std::string("/sys/fs/cgroup")}) {
    std::string quota;
    double period = 0;
    if (std::ifstream(path + "/cpu.max") >> quota >> period; quota != "max" && !quota.empty())
      quota_processors = std::min(quota_processors, rounded_up(std::atof(quota.c_str()), period));
  }
  double quota = -1, period = 0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return std::min(quota_processors, rounded_up(quota, period));
}

static int processors_of_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const int requested = text ? std::atoi(text) : 0;
  return requested > 0 ? requested : max_threads;
}

int default_threads() {
  static const int count =
      std::min({processors_of_affinity(), processors_of_cgroup(), processors_of_environment(), max_threads});
  return count;
}

}  // namespace learnable_threads
