// The timed loops of measure_cpu.py, which compiles this file and calls it through ctypes.
//
// Every function returns seconds per call, averaged over `calls` calls. Work is shared by a team of threads that lives
// as long as one measurement and waits spinning, so that waking up costs nothing that is timed.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>
#if __has_include(<immintrin.h>)
#include <immintrin.h>
#define PAUSE() _mm_pause()
#else
#define PAUSE() std::this_thread::yield()
#endif

namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// Runs `jobs` jobs a round; each thread takes the next job until none is left. Returns seconds per round.
template <class Job>
double rounds(int threads, int64_t jobs, int calls, Job job) {
  std::atomic<int64_t> next{0};
  std::atomic<int> round{0}, idle{0};
  std::atomic<bool> over{false};
  auto work = [&] {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < jobs;) job(i);
  };
  std::vector<std::thread> team;
  for (int t = 1; t < threads; t++)
    team.emplace_back([&] {
      for (int seen = 0;;) {
        while (round.load(std::memory_order_acquire) == seen) {
          if (over.load(std::memory_order_relaxed)) return;
          PAUSE();
        }
        seen++;
        work();
        idle.fetch_add(1, std::memory_order_release);
      }
    });
  auto one = [&] {
    next.store(0, std::memory_order_relaxed);
    idle.store(0, std::memory_order_relaxed);
    round.fetch_add(1, std::memory_order_release);
    work();
    while (idle.load(std::memory_order_acquire) < threads - 1) PAUSE();
  };
  one();  // the threads are there and warm
  double start = now();
  for (int c = 0; c < calls; c++) one();
  double seconds = (now() - start) / calls;
  over.store(true);
  for (auto& t : team) t.join();
  return seconds;
}

using Gemm32 = void (*)(int, int, int, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*, int64_t,
                        float, float*, int64_t);
using Gemm64 = void (*)(int, int, int, int64_t, int64_t, int64_t, double, const double*, int64_t, const double*,
                        int64_t, double, double*, int64_t);
constexpr int ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112;

// y = x W^T, the library using its own threads; `copies` weight matrices one after another, so that each call finds
// its weights in memory and not in a cache.
template <class T, class Gemm>
double layer(Gemm gemm, int64_t m, int64_t n, int64_t k, const T* x, const T* w, T* y, int copies, int calls) {
  auto item = [&](const T* weights) {
    gemm(ROW_MAJOR, NO_TRANS, TRANS, m, n, k, T(1), x, k, weights, k, T(0), y, n);
  };
  item(w);
  double start = now();
  for (int c = 0; c < calls; c++) item(w + int64_t(c % copies) * n * k);
  return (now() - start) / calls;
}

}  // namespace

extern "C" {

double time_layer_32(void* gemm, int64_t m, int64_t n, int64_t k, const float* x, const float* w, float* y, int copies,
                     int calls) {
  return layer<float>(Gemm32(gemm), m, n, k, x, w, y, copies, calls);
}

double time_layer_64(void* gemm, int64_t m, int64_t n, int64_t k, const double* x, const double* w, double* y, int copies,
                     int calls) {
  return layer<double>(Gemm64(gemm), m, n, k, x, w, y, copies, calls);
}

// Bandwidth: a = b + 3 c (counted as three streams), and the sum of one array. `n` doubles, by blocks of 64 Ki.
double time_triad(double* a, const double* b, const double* c, int64_t n, int threads, int calls) {
  constexpr int64_t BLOCK = 1 << 16;
  return rounds(threads, n / BLOCK, calls, [&](int64_t job) {
    for (int64_t i = job * BLOCK; i < (job + 1) * BLOCK; i++) a[i] = b[i] + 3.0 * c[i];
  });
}

double time_read(const double* a, int64_t n, int threads, int calls) {
  constexpr int64_t BLOCK = 1 << 16;
  static std::atomic<uint64_t> sink;
  return rounds(threads, n / BLOCK, calls, [&](int64_t job) {
    typedef double Wide __attribute__((vector_size(64), aligned(8)));
    Wide sum[4] = {};
    for (int64_t i = job * BLOCK; i < (job + 1) * BLOCK; i += 32)
      for (int v = 0; v < 4; v++) sum[v] += *(const Wide*)(a + i + 8 * v);
    Wide all = sum[0] + sum[1] + sum[2] + sum[3];
    sink.fetch_xor(uint64_t(all[0] + all[3] + all[7]), std::memory_order_relaxed);
  });
}

}  // extern "C"

#if __has_include(<dnnl.hpp>)
#include <cstdio>
#include <dnnl.hpp>
#include <memory>

namespace {
struct Layer {
  dnnl::engine cpu{dnnl::engine::kind::cpu, 0};
  dnnl::stream queue{cpu};
  dnnl::matmul product;
  dnnl::memory left, result;
  std::vector<dnnl::memory> weights;

  void one(int copy) {
    product.execute(queue, {{DNNL_ARG_SRC, left}, {DNNL_ARG_WEIGHTS, weights[copy % weights.size()]},
                            {DNNL_ARG_DST, result}});
    queue.wait();
  }
};
}  // namespace

extern "C" {

// y = x W^T by oneDNN, weights in the layout the library likes best (packed once, outside the timing, as inference
// engines do). type: 0 fp32, 1 bf16 (bf16 out), 2 int8 (int32 out). Null where the library cannot do it.
void* onednn_open(int type, int64_t m, int64_t n, int64_t k, int copies) {
  using namespace dnnl;
  const auto in = type == 0 ? memory::data_type::f32 : type == 1 ? memory::data_type::bf16 : memory::data_type::s8;
  const auto out = type == 0 ? memory::data_type::f32 : type == 1 ? memory::data_type::bf16 : memory::data_type::s32;
  try {
    auto layer = std::make_unique<Layer>();
    memory::desc x({m, k}, in, memory::format_tag::ab), w({k, n}, in, memory::format_tag::any);
    memory::desc plain({k, n}, in, memory::format_tag::ba), y({m, n}, out, memory::format_tag::ab);
    matmul::primitive_desc description({x, w, y}, layer->cpu);
    layer->product = matmul(description);
    layer->left = memory(x, layer->cpu);
    layer->result = memory(y, layer->cpu);
    memory source(plain, layer->cpu);
    memset(layer->left.get_data_handle(), 0, x.get_size());
    memset(source.get_data_handle(), 0, plain.get_size());
    for (int c = 0; c < copies; c++) {
      layer->weights.emplace_back(description.weights_desc(), layer->cpu);
      reorder(source, layer->weights.back()).execute(layer->queue, source, layer->weights.back());
    }
    layer->queue.wait();
    return layer.release();
  } catch (const error&) {
    return nullptr;
  }
}

double onednn_time(void* layer, int calls) {
  auto* l = static_cast<Layer*>(layer);
  l->one(int(l->weights.size()) - 1);
  double start = now();
  for (int c = 0; c < calls; c++) l->one(c);
  return (now() - start) / calls;
}

void onednn_close(void* layer) { delete static_cast<Layer*>(layer); }

const char* onednn_version() {
  static char text[32];
  const auto* v = dnnl_version();
  snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

}  // extern "C"
#endif
