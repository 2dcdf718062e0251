#include "sinks/stores/families_rules.h"

namespace mikroscope::sinks {
namespace {

using As = FamilyRule::As;

constexpr FamilyRule kRules[] = {
    // CPU
    {"cpu", "user,nice,system,idle,iowait,irq,softirq,steal", "cpu_ticks", "mode", "cpu.ticks", "mode",
     "{tick}"},
    // Guests are counted in user and nice too: not in one family with them.
    {"cpu", "guest,guest_nice", "cpu_guest_ticks", "mode", "cpu.guest_ticks", "mode", "{tick}"},
    {"cpu", "dt_ns", "-", "", "-"},
    {"cpu_total", "user,nice,system,idle,iowait,irq,softirq,steal", "cpu_aggregate_ticks", "mode",
     "cpu.aggregate_ticks", "mode", "{tick}"},
    {"cpu_total", "guest,guest_nice", "cpu_aggregate_guest_ticks", "mode", "cpu.aggregate_guest_ticks",
     "mode", "{tick}"},
    {"stat", "ctxt", "context_switches", "", "context_switches", "", "{switch}"},
    {"stat", "intr", "interrupts", "", "interrupts", "", "{interrupt}"},
    {"stat", "forks", "forks", "", "forks", "", "{process}"},
    {"stat", "irq_err", "irq_errors", "", "irq.errors", "", "{interrupt}"},
    {"stat", "irq_mis", "irq_misrouted", "", "irq.misrouted", "", "{interrupt}"},
    {"load", "load1=1m,load5=5m,load15=15m", "load", "period", "load", "window", "1"},
    {"load", "running,threads=total", "threads", "state", "", "", "{thread}"},
    {"load", "procs_running", "procs_running", "", "procs_running", "", "{process}"},
    {"load", "procs_blocked", "procs_blocked", "", "procs_blocked", "", "{process}"},
    {"softnet", "processed,dropped,time_squeeze,cpu_collision,received_rps,flow_limit", "softnet", "kind",
     "softnet", "kind", "{packet}"},
    {"softirq", "count", "softirq", "", "softirq", "", "{softirq}"},
    {"irq_cpu", "count", "irq", "", "irq.cpu_count", "", "{interrupt}"},
    {"irq", "count", "-", "", "irq.count", "", "{interrupt}"},  // irq_total summed over cpu says it
    {"perf", "count", "perf_events", "", "perf.events", "", "{event}"},
    {"perf", "enabled_ns", "perf_time_enabled_seconds", "", "perf.time_enabled", "", "ns"},
    {"perf", "running_ns", "perf_time_running_seconds", "", "perf.time_running", "", "ns"},
    {"sched", "run_ns", "sched_run_seconds"},
    {"sched", "wait_ns", "sched_wait_seconds"},
    {"sched", "run_ns=run,wait_ns=wait", "", "", "sched", "kind", "ns"},
    {"cpufreq", "khz", "cpu_frequency_hertz", "", "cpu.frequency", "", "kHz"},
    {"cpufreq", "max_khz=max", "cpu_frequency_limit_hertz", "bound", "cpu.frequency_limit", "bound", "kHz"},
    // Memory
    {"mem",
     "total_kb=MemTotal,free_kb=MemFree,available_kb=MemAvailable,buffers_kb=Buffers,cached_kb=Cached,"
     "dirty_kb=Dirty,shmem_kb=Shmem,slab_kb=Slab,sreclaimable_kb=SReclaimable,sunreclaim_kb=SUnreclaim,"
     "committed_kb=Committed_AS,writeback_kb=Writeback,anon_kb=AnonPages,mapped_kb=Mapped,"
     "kernel_stack_kb=KernelStack,page_tables_kb=PageTables,commit_limit_kb=CommitLimit,active_kb=Active,"
     "inactive_kb=Inactive,swap_total_kb=SwapTotal,swap_free_kb=SwapFree",
     "meminfo_kbytes", "field", "", "", "", As::field, "*", true},
    {"mem",
     "total_kb=total,free_kb=free,available_kb=available,buffers_kb=buffers,cached_kb=cached,"
     "dirty_kb=dirty,shmem_kb=shmem,slab_kb=slab,sreclaimable_kb=sreclaimable,sunreclaim_kb=sunreclaim,"
     "committed_kb=committed,writeback_kb=writeback,anon_kb=anon,mapped_kb=mapped,"
     "kernel_stack_kb=kernel_stack,page_tables_kb=page_tables,commit_limit_kb=commit_limit,active_kb=active,"
     "inactive_kb=inactive,swap_total_kb=swap_total,swap_free_kb=swap_free,used_kb=used",
     "", "", "memory", "kind", "KiBy"},
    {"vm", "*", "vm_events", "event", "vm.events", "kind", "{event}"},
    {"vm_level", "*", "vm_pages", "field", "vm.pages", "kind", "{page}"},
    {"psi",
     "cpu_some_us=cpu/some,mem_some_us=memory/some,mem_full_us=memory/full,io_some_us=io/some,"
     "io_full_us=io/full,irq_full_us=irq/full",
     "psi_stall_usec", "resource,kind", "psi.stalled", "resource,scope", "us", As::field, "*", true},
    {"slab", "active", "slab_active_objects", "", "slab.objects", "", "{object}"},
    {"slab", "limit", "slab_limit_objects", "", "slab.limit", "", "{object}"},
    {"buddy", "order_*", "buddy_free_blocks", "order", "memory.buddy_free_blocks", "order", "{block}"},
    {"buddy", "free_pages", "buddy_free_pages", "", "memory.buddy_free_pages", "", "{page}"},
    {"zone", "*", "zone_pages", "kind", "memory.zone_pages", "kind", "{page}"},
    // Devices
    {"thermal", "celsius", "thermal_celsius", "", "thermal.temperature", "", "Cel"},
    {"thermal", "critical_celsius", "thermal_critical_celsius", "", "thermal.critical", "", "Cel"},
    {"disk", "reads=read,writes=write", "disk_operations", "op", "disk.operations", "kind", "{operation}"},
    {"disk", "read_sectors=read,write_sectors=write", "disk_sectors", "op", "disk.sectors", "kind",
     "{sector}"},
    {"disk", "read_s=read,write_s=write", "disk_time_seconds", "op", "disk.time", "kind", "s"},
    {"disk", "io_s", "disk_io_seconds", "", "disk.io_time", "", "ms"},
    {"disk", "inflight", "disk_inflight", "", "disk.io_in_progress", "", "{request}"},
    {"flash", "bad_blocks", "flash_bad_blocks"},
    {"flash", "free_chunks", "flash_free_chunks"},
    {"flash", "bad_blocks=bad,free_chunks", "", "", "flash.blocks", "kind", "{block}"},
    {"flash", "*", "flash_operations", "kind", "flash", "kind", "{operation}"},
    {"mtd", "corrected_bits", "mtd_ecc_corrected_bits", "", "", "", "", As::running},
    {"mtd", "ecc_failures", "mtd_ecc_failures", "", "", "", "", As::running},
    {"mtd", "corrected_bits,ecc_failures", "", "", "mtd.ecc", "kind", "{event}", As::running},
    {"mtd", "bad_blocks=bad,bbt_blocks=bbt", "mtd_blocks", "kind", "mtd.blocks", "kind", "{block}"},
    // The agent and the sampling
    {"self", "cpu_us", "self_cpu_usec", "", "self.cpu.time", "", "us", As::field, "*", true},
    {"self", "rss", "self_rss_bytes"},
    {"self", "cgroup_mem", "self_cgroup_memory_bytes"},
    {"self", "rss,cgroup_mem=cgroup", "", "", "self.memory", "kind", "By"},
    {"self", "cgroup_mem_max", "self_cgroup_memory_max_bytes"},
    {"self", "throttled", "self_throttled_periods", "", "self.throttled_periods", "", "{period}"},
    {"self", "throttled_us", "self_throttled_seconds", "", "self.throttled_time", "", "us"},
    {"self", "oom_kill", "self_oom_kills", "", "self.oom_kills", "", "{kill}"},
    {"self", "kmsg_dropped", "kmsg_dropped", "", "kmsg.dropped", "", "{record}"},
    {"self", "missed", "slipped", "", "self.missed", "", "{tick}"},
    {"sample", "*rows", "samples", "", "sample.count", "", "{sample}", As::rows},
    {"sample", "seq", "sample_seq", "", "sample.seq", "", "1"},
    {"sample", "dt_ns", "sampled_seconds", "", "", "", "", As::sum},
    {"sample", "dt_ns", "", "", "sample.dt", "", "ns"},
    {"sample", "mono_ns", "uptime_seconds", "", "uptime", "", "ns"},
    {"sampler", "ticks", "sampler_ticks", "", "sampler.ticks", "", "{tick}", As::running},
    {"sampler", "slipped", "sampler_slipped", "", "sampler.slipped", "", "{tick}", As::running},
    {"sampler", "captures_held", "captures_held", "", "capture.held", "", "{capture}"},
    {"sampler", "capture_bytes", "capture_bytes", "", "capture.bytes", "", "By"},
    {"sampler", "capture_budget_bytes", "capture_budget_bytes", "", "capture.budget_bytes", "", "By"},
    {"sampler", "capture_served_bytes", "capture_bytes_served", "", "capture.served_bytes", "", "By",
     As::running},
    {"trigger_count", "fired", "trigger_fired", "", "sampler.trigger_fired", "", "{event}", As::running},
    {"trigger_suppressed", "count", "trigger_suppressed", "", "sampler.trigger_suppressed", "", "{event}",
     As::running},
    {"capture_refused", "count", "capture_refused", "", "capture.refused", "", "{capture}", As::running},
    {"device_cadence", "hz", "source_cadence_hz", "", "device.source_cadence", "", "Hz"},
    // What happened
    {"kmsg", "count", "kmsg_records", "", "kmsg.records", "", "{record}", As::sum, "level"},
    {"kmsg", "count", "kmsg_port_records", "", "kmsg.port_records", "", "{record}", As::sum,
     "port,kind,level"},
    {"event", "*rows", "-", "", "-"},
    {"detection", "*rows", "collector_detections", "", "detection", "", "{event}", As::rows, "rule"},
    {"trigger", "*rows", "collector_triggers", "", "trigger.fired", "", "{trigger}", As::rows, "cause"},
    {"gap", "*rows", "collector_gaps", "", "collector.gaps", "", "{gap}", As::rows, "reason"},
    {"gap", "count", "collector_gap_samples", "", "collector.gap.samples", "", "{sample}", As::sum, "reason"},
    {"restart", "*rows", "collector_agent_restarts", "", "collector.agent_restarts", "", "{restart}",
     As::rows, ""},
    {"derived", "mem_pressure", "derived_memory_pressure", "", "derived.memory_pressure", "", "1"},
    {"derived", "packets_per_irq", "derived_packets_per_interrupt", "", "derived.packets_per_irq", "", "1"},
    {"derived", "suspect", "derived_suspect"},
    {"derived", "burst", "derived_burst"},
    // The router's own counts
    {"api_system", "cpu_load", "api_cpu_load", "", "api.cpu_load", "", "%"},
    {"api_system", "free_memory=free,total_memory=total,free_hdd", "api_memory_bytes", "kind", "api.memory",
     "kind", "By"},
    {"api_system", "uptime_s", "api_uptime_seconds", "", "api.uptime", "", "s"},
    {"api_core", "load,irq,disk", "api_core_percent", "kind", "api.core", "kind", "%"},
    {"api_health", "value", "api_health", "", "api.health", "", "1"},
    {"api_conntrack", "entries", "api_conntrack_entries", "", "api.conntrack.entries", "", "{entry}"},
    // Comments and roles are in api_interface_info only: a changed comment must not start new series.
    {"api_iface", "*", "api_interface", "kind", "", "", "", As::field, "interface"},
    {"api_iface", "*", "", "", "api.interface", "kind", "1"},
    {"api_ifcounters", "*", "api_interface_counter", "counter", "", "", "", As::running, "interface", true},
    {"api_ifcounters", "*", "", "", "api.interface.counter", "counter", "1", As::running, "interface"},
    {"api_ifinfo", "*info", "api_interface_info", "", "api.interface.info", "", "1", As::info},
    {"api_ifinfo", "running", "api_interface_running", "", "api.interface.running", "", "1", As::field,
     "interface"},
    {"api_ifinfo", "disabled", "api_interface_disabled", "", "api.interface.disabled", "", "1", As::field,
     "interface"},
    {"api_ifinfo", "mtu", "api_interface_mtu_bytes", "", "api.interface.mtu", "", "By", As::field,
     "interface"},
    {"derived_iface", "fp_rx_share=rx,fp_tx_share=tx", "derived_fastpath_share", "direction",
     "derived.fastpath_share", "direction", "1", As::field, "interface"},
    {"derived_iface", "*", "derived_interface_bytes", "kind", "derived.interface.bytes", "kind", "By",
     As::field, "interface"},
};

}  // namespace

std::span<const FamilyRule> family_rules() {
  return kRules;
}

}  // namespace mikroscope::sinks
