// Threads: every block once, errors propagate, deadlines hold, forks and nesting work.
#include "learnable/threads/parallel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "check.hpp"

using namespace learnable;

namespace {

struct Threads {
  int before;
  explicit Threads(int count) : before(requested_threads) { requested_threads = count; }
  ~Threads() { requested_threads = before; }
};

bool every_block_once(index_t blocks) {
  std::vector<std::atomic<int>> seen(blocks);
  parallel_for(blocks, [&](index_t block, int) { ++seen[block]; });
  for (const auto& count : seen)
    if (count != 1) return false;
  return true;
}

void throw_hook() { throw std::logic_error("interrupted"); }

}  // namespace

TEST(every_block_is_done_once) {
  for (int count : {1, 2, 3, 8}) {
    const Threads threads(count);
    for (index_t blocks : {0, 1, 2, 7, 1000}) CHECK(every_block_once(blocks));
  }
}

TEST(slots_are_below_the_threads) {
  const Threads threads(4);
  CHECK(threads_for(200) == 4 && threads_for(3) == 3);
  std::atomic<int> wrong{0};
  parallel_for(200, [&](index_t, int slot) { wrong += slot < 0 || slot >= 4 || threads_for(200) != 1; });
  CHECK(wrong == 0);
}

TEST(errors_propagate) {
  for (int count : {1, 4}) {
    const Threads threads(count);
    CHECK(check::throws<std::out_of_range>([] {
      parallel_for(100, [](index_t block, int) {
        if (block == 37) throw std::out_of_range("37");
      });
    }));
    CHECK(every_block_once(50));
  }
}

TEST(inner_loops_stay_on_their_thread) {
  const Threads threads(4);
  std::atomic<int> wrong{0};
  parallel_for(16, [&](index_t, int) {
    const auto here = std::this_thread::get_id();
    parallel_for(8, [&](index_t, int slot) { wrong += slot != 0 || std::this_thread::get_id() != here; });
  });
  CHECK(wrong == 0);
}

TEST(many_callers_at_once) {
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      const Threads threads(3);
      for (int round = 0; round < 50; ++round) good += every_block_once(20);
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(good == 300);
}

TEST(deadline_ends_a_loop) {
  for (int count : {1, 3}) {
    const Threads threads(count);
    deadline = monotonic_seconds();
    CHECK(check::throws<OutOfTime>([] {
      parallel_for(100000, [](index_t, int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    }));
    deadline = std::numeric_limits<double>::infinity();
    CHECK(every_block_once(10));
  }
}

TEST(hook_ends_a_loop) {
  const Threads threads(2);
  interrupt_hook = &throw_hook;
  CHECK(check::throws<std::logic_error>([] {
    parallel_for(100000, [](index_t, int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  }));
  interrupt_hook = nullptr;
}

// An inner loop of two minutes is one block of the outer one.
TEST(inner_loops_end_with_the_time) {
  for (int count : {1, 2}) {
    const Threads threads(count);
    const double start = monotonic_seconds();
    deadline = start + 0.1;
    CHECK(check::throws<OutOfTime>([] {
      parallel_for(2, [](index_t, int) {
        parallel_for(120'000, [](index_t, int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
      });
    }));
    CHECK(monotonic_seconds() - start < 60);
    deadline = std::numeric_limits<double>::infinity();
  }
}

// Blocks of two minutes that poll: of both threads, or of the helper alone, for which the caller waits.
TEST(long_blocks_end_with_their_job) {
  const Threads threads(2);
  for (const bool caller_waits : {false, true}) {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> helped{false};
    const double start = monotonic_seconds();
    deadline = start + 0.1;
    CHECK(check::throws<OutOfTime>([&] {
      parallel_for(2, [&](index_t, int) {
        const bool here = std::this_thread::get_id() == caller;
        if (!here) helped = true;
        while (here && caller_waits && !helped) std::this_thread::yield();
        for (int k = 0; k < 120'000 && !(here && caller_waits); ++k, poll_interrupt())
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }));
    deadline = std::numeric_limits<double>::infinity();
    CHECK(monotonic_seconds() - start < 10);
    CHECK(every_block_once(10));
  }
}

TEST(child_of_a_fork_has_threads) {
  const Threads threads(3);
  CHECK(every_block_once(100));
  const pid_t child = fork();
  if (child == 0) _exit(every_block_once(100) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(blocks_cover_the_range) {
  const Blocks blocks(10, 4);
  CHECK(blocks.count == 3 && blocks.begin(2) == 8 && blocks.end(2) == 10);
  CHECK(Blocks(0, 4).count == 0);
}

TEST(some_threads_are_allowed) { CHECK(default_threads() >= 1 && default_threads() <= max_threads); }
