/* For the CMocka programs over the fake emulator: the machine, kernels that add, and a gate that
 * holds a stream up. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_emulator.h"
#include "hip_api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(CALL) assert_int_equal(CALL, 0)

/** Two devices over the fake emulator, with more settings in `more`. */
static inline void start_machine(const char *more) {
  char settings[1024], message[256];
  snprintf(settings, sizeof settings, "library=%s;devices=gfx942,gfx1100;log=0;%s", FAKE_EMULATOR,
           more);
  if (tl_hipemu_configure(settings, message, sizeof message))
    fail_msg("%s", message);
}

/** Whether `a` is known to be finished before `b` starts. */
static inline int is_before(const struct fake_operation *a, const struct fake_operation *b) {
  return a->stream < b->clock_size && b->clock[a->stream] >= a->sequence;
}

/** The operation with this name that ran last. */
static inline struct fake_operation operation(const char *name) {
  struct fake_operation found;
  if (!fake_operation_named(name, &found))
    fail_msg("no operation '%s' ran", name);
  return found;
}

struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int open, reached;
};
#define GATE_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0}

/** A host function: waits until the gate is open. */
static inline void pass_gate(void *user) {
  struct gate *gate = user;
  pthread_mutex_lock(&gate->mutex);
  gate->reached = 1;
  pthread_cond_broadcast(&gate->changed);
  while (!gate->open)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
}

static inline void open_gate(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  gate->open = 1;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

static inline void await_gate(struct gate *gate) {
  pthread_mutex_lock(&gate->mutex);
  while (!gate->reached)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  pthread_mutex_unlock(&gate->mutex);
}

/* Kernels: add(int *data, int count, int amount), and double_(int *data, int count); the second
 * argument stands at offset 8, the third at 12. fail(int status) ends with that status. */
struct add_arguments {
  int *data;
  int count, amount;
};
static inline int run_add(const struct fake_launch *launch) {
  struct add_arguments a;
  memcpy(&a, launch->kernarg, sizeof a);
  for (int i = 0; i < a.count; ++i)
    a.data[i] += a.amount;
  return 0;
}
static inline int run_twice(const struct fake_launch *launch) {
  struct add_arguments a;
  memcpy(&a, launch->kernarg, 12);
  for (int i = 0; i < a.count; ++i)
    a.data[i] *= 2;
  return 0;
}
static inline int run_fail(const struct fake_launch *launch) {
  int status;
  memcpy(&status, launch->kernarg, 4);
  return status;
}

static const struct fake_argument kAddArguments[] = {{0, 8}, {8, 4}, {12, 4}};
static const struct fake_argument kFailArguments[] = {{0, 4}};
static const struct fake_kernel kKernels[] = {
    {"add", run_add, kAddArguments, 3, 1024, 0},
    {"twice", run_twice, kAddArguments, 2, 256, 1024},
    {"fail", run_fail, kFailArguments, 1, 1024, 0},
    {NULL, NULL, NULL, 0, 0, 0},
};
static const struct fake_image kImage = {FAKE_MAGIC, "", kKernels, "table", 256};

static inline hipFunction_t kernel_named(const char *name) {
  static hipModule_t modules[2];
  int device;
  hipFunction_t function;
  OK(hipGetDevice(&device));
  if (!modules[device])
    OK(hipModuleLoadData(&modules[device], &kImage));
  OK(hipModuleGetFunction(&function, modules[device], name));
  return function;
}

static inline hipError_t launch_add(int *data, int count, int amount, hipStream_t stream) {
  void *params[] = {&data, &count, &amount};
  return hipModuleLaunchKernel(kernel_named("add"), 1, 1, 1, 64, 1, 1, 0, stream, params, NULL);
}
static inline hipError_t launch_twice(int *data, int count, hipStream_t stream) {
  void *params[] = {&data, &count};
  return hipModuleLaunchKernel(kernel_named("twice"), 1, 1, 1, 64, 1, 1, 0, stream, params, NULL);
}
static inline hipError_t launch_fail(int status, hipStream_t stream) {
  void *params[] = {&status};
  return hipModuleLaunchKernel(kernel_named("fail"), 1, 1, 1, 64, 1, 1, 0, stream, params, NULL);
}
