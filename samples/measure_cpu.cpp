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
// its weights in memory and not in a cache, as a layer of a model does. A batch is a job for each of its matrices.
template <class T, class Gemm>
double layer(Gemm gemm, int64_t m, int64_t n, int64_t k, int64_t batch, const T* x, const T* w, T* y, int copies,
             int threads, int calls) {
  auto item = [&](const T* weights, int64_t b) {
    gemm(ROW_MAJOR, NO_TRANS, TRANS, m, n, k, T(1), x + b * m * k, k, weights + b * n * k, k, T(0), y + b * m * n, n);
  };
  if (batch > 1) return rounds(threads, batch, calls, [&](int64_t b) { item(w, b); });
  item(w, 0);
  double start = now();
  for (int c = 0; c < calls; c++) item(w + int64_t(c % copies) * n * k, 0);
  return (now() - start) / calls;
}

typedef float Vector __attribute__((vector_size(64), aligned(4)));
constexpr int ROWS = 4, LANES = 16, COLUMNS = 2 * LANES;

}  // namespace

extern "C" {

double time_layer_32(void* gemm, int64_t m, int64_t n, int64_t k, int64_t batch, const float* x, const float* w,
                     float* y, int copies, int threads, int calls) {
  return layer<float>(Gemm32(gemm), m, n, k, batch, x, w, y, copies, threads, calls);
}

double time_layer_64(void* gemm, int64_t m, int64_t n, int64_t k, int64_t batch, const double* x, const double* w,
                     double* y, int copies, int threads, int calls) {
  return layer<double>(Gemm64(gemm), m, n, k, batch, x, w, y, copies, threads, calls);
}

// The flat GEMM of a decode step: W (n x k) is cut into blocks of tile_n rows, the columns of y; one job a block, each
// job one call of a single-threaded library GEMM.
double time_flat(void* gemm, int64_t m, int64_t n, int64_t k, int64_t tile_n, const float* x, const float* w, float* y,
                 int threads, int calls) {
  auto call = Gemm32(gemm);
  return rounds(threads, n / tile_n, calls, [&](int64_t b) {
    call(ROW_MAJOR, NO_TRANS, TRANS, m, tile_n, k, 1, x, k, w + b * tile_n * k, k, 0, y + b * tile_n, n);
  });
}

// C = A B with tiles of tile_m x tile_n x tile_k: one job a tile of C. A job walks over k, copies a tile of A and one
// of B into its own buffers (what shared memory is on a GPU) and adds their product to an accumulator.
// tile_m must divide by 4, tile_n by 32, and the sizes by their tiles.
double time_tiles(int64_t m, int64_t n, int64_t k, int tile_m, int tile_n, int tile_k, const float* a, const float* b,
                  float* c, int threads, int calls) {
  const int64_t across = n / tile_n;
  return rounds(threads, (m / tile_m) * across, calls, [&](int64_t job) {
    const int64_t row = job / across * tile_m, column = job % across * tile_n;
    thread_local std::vector<float> pa, pb, acc;
    pa.resize(size_t(tile_m) * tile_k);
    pb.resize(size_t(tile_k) * tile_n);
    acc.assign(size_t(tile_m) * tile_n, 0.f);
    for (int64_t k0 = 0; k0 < k; k0 += tile_k) {
      for (int i = 0; i < tile_m; i++)
        for (int p = 0; p < tile_k; p++)
          pa[size_t(i / ROWS * tile_k + p) * ROWS + i % ROWS] = a[(row + i) * k + k0 + p];
      for (int p = 0; p < tile_k; p++)
        for (int j = 0; j < tile_n; j += COLUMNS)
          memcpy(&pb[size_t(j / COLUMNS * tile_k + p) * COLUMNS], &b[(k0 + p) * n + column + j],
                 COLUMNS * sizeof(float));
      for (int j = 0; j < tile_n; j += COLUMNS)
        for (int i = 0; i < tile_m; i += ROWS) {
          const float* left = &pa[size_t(i) * tile_k];
          const float* right = &pb[size_t(j) * tile_k];
          Vector sum[ROWS][2];
          for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < 2; v++) sum[r][v] = *(const Vector*)&acc[size_t(i + r) * tile_n + j + v * LANES];
          for (int p = 0; p < tile_k; p++, left += ROWS, right += COLUMNS)
            for (int r = 0; r < ROWS; r++)
              for (int v = 0; v < 2; v++) sum[r][v] += left[r] * *(const Vector*)(right + v * LANES);
          for (int r = 0; r < ROWS; r++)
            for (int v = 0; v < 2; v++) *(Vector*)&acc[size_t(i + r) * tile_n + j + v * LANES] = sum[r][v];
        }
    }
    for (int i = 0; i < tile_m; i++)
      memcpy(&c[(row + i) * n + column], &acc[size_t(i) * tile_n], tile_n * sizeof(float));
  });
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
