// A small pool of worker threads. A job is a number of blocks; every free thread takes the next one.
//
// The thread that submits a job works on it too and waits only for workers that joined it, so a job never waits for a
// sleeping worker; while it waits it polls for interrupts, too. Several threads may submit jobs at once. After a fork
// the child starts with an empty pool.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "learnable/threads/parallel.hpp"

namespace learnable_threads {

namespace {

// A loop and its threads; the slot of a thread, below slots, is the same throughout the job.
struct Job {
  const Loop& loop;
  int slots;

  std::atomic<index_t> next{0};
  std::atomic<bool> failed{false};
  int joined = 1, working = 0;  // guarded by the pool: slots given out, workers inside
  std::exception_ptr error{};   // guarded by the pool

  bool take(index_t& block) {
    if (failed.load(std::memory_order_relaxed)) return false;
    block = next.fetch_add(1, std::memory_order_relaxed);
    return block < loop.blocks;
  }
};

class Pool {
 public:
  // Runs the job to its end; rethrows exceptions of blocks or polls.
  void run(Job& job) {
    offer(job);
    inside_ = true;
    work(job, 0, &poll_interrupt);
    inside_ = false;
    withdraw(job);
    finish(job);
    if (job.error) std::rethrow_exception(job.error);
  }

  // The pool of this process. It is never destroyed: workers may still sleep in it when the process ends.
  static Pool& instance() {
    Pool* pool = current_.load(std::memory_order_acquire);
    if (pool) return *pool;
    Pool* fresh = new Pool();
    if (current_.compare_exchange_strong(pool, fresh)) return *fresh;
    delete fresh;
    return *pool;
  }

  // Whether this thread is inside a block; nested loops then run on it alone.
  static bool inside_block() { return inside_; }

 private:
  void offer(Job& job) {
    {
      const std::lock_guard hold(lock_);
      while (workers_ < job.slots - 1 && start_worker()) ++workers_;
      jobs_.push_back(&job);
    }
    for (int i = 1; i < job.slots; ++i) wake_.notify_one();
  }

  void withdraw(Job& job) {
    const std::lock_guard hold(lock_);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
  }

  // Waits for the workers that are still at the job.
  void finish(Job& job) {
    for (;;) {
      {
        std::unique_lock hold(lock_);
        if (done_.wait_for(hold, std::chrono::milliseconds(50), [&] { return job.working == 0; })) return;
      }
      attempt(job, &poll_interrupt);
    }
  }

  template <class Watch>
  void work(Job& job, int slot, Watch watch) {
    attempt(job, [&] {
      for (index_t block; job.take(block); watch()) job.loop(block, slot);
    });
  }

  // An exception aborts the job; the first error is kept.
  template <class Part>
  void attempt(Job& job, Part part) {
    try {
      part();
    } catch (...) {
      const std::lock_guard hold(lock_);
      if (!job.error) job.error = std::current_exception();
      job.failed.store(true);
    }
  }

  Job* open_job() const {
    for (Job* job : jobs_)
      if (job->joined < job->slots && !job->failed.load() && job->next.load() < job->loop.blocks) return job;
    return nullptr;
  }

  void serve() {
    inside_ = true;
    std::unique_lock hold(lock_);
    for (;;) {
      Job* job = nullptr;
      wake_.wait(hold, [&] { return (job = open_job()) != nullptr; });
      const int slot = job->joined++;
      ++job->working;
      hold.unlock();
      job_aborted = &job->failed;
      work(*job, slot, [] {});
      hold.lock();
      if (--job->working == 0) done_.notify_all();
    }
  }

  // Workers take no signals: those belong to the threads of the program. False if the system gives no more threads.
  bool start_worker() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  std::mutex lock_;
  std::condition_variable wake_, done_;
  std::vector<Job*> jobs_;
  int workers_ = 0;

  static inline std::atomic<Pool*> current_{nullptr};
  static inline const int registered_ = pthread_atfork(nullptr, nullptr, [] { current_.store(nullptr); });
  static inline thread_local bool inside_ = false;
};

}  // namespace

int threads_for(index_t blocks) {
  return Pool::inside_block() ? 1 : int(std::min<index_t>(allowed_threads(), std::max<index_t>(blocks, 1)));
}

void run_alone(const Loop& loop) {
  for (index_t block = 0; block < loop.blocks; ++block) loop(block, 0);
}

void run(const Loop& loop) {
  if (loop.blocks == 1) return run_alone(loop);
  Job job{loop, threads_for(loop.blocks)};
  if (job.slots > 1) return Pool::instance().run(job);
  for (index_t block = 0; block < loop.blocks; ++block, poll_interrupt()) loop(block, 0);  // inside a block, too
}

}  // namespace learnable_threads
