package io.kjadm.core.auto;

import io.kjadm.core.auto.AutoLoop.Turn;
import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.StoreView;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.Decision.Act;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.WaitCode;
import io.kjadm.store.ObjectStore;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The automatic mode of this machine, in a file for the textfile collector of Prometheus'
 * node_exporter. A file that cannot be written stops nothing: its age shows it.
 */
public final class AutoMetrics {

    private static final String PREFIX = "kjadm_etcd_auto_";

    /** What is done with a store while the automatic mode runs; each is one request or some. */
    private static final Set<String> REQUESTS = Set.of("delete", "list", "put", "read", "replace");

    private final HostFiles files;
    private final Optional<Path> file;
    private final Map<String, LongAdder> requests = new ConcurrentSkipListMap<>();
    private final Map<String, Long> steps = new TreeMap<>();

    /** @param file its name has to end with {@code .prom} for the collector to read it */
    public AutoMetrics(HostFiles files, Optional<Path> file) {
        this.files = files;
        this.file = file;
    }

    /** The same store, whose requests are counted. */
    public ObjectStore counting(ObjectStore store) {
        REQUESTS.forEach(name -> requests.put(name, new LongAdder()));
        return (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    Optional.ofNullable(requests.get(method.getName()))
                            .ifPresent(LongAdder::increment);
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Writes what a turn has seen; the same turn. */
    public Turn after(Turn turn) {
        if (turn.outcome().decision() instanceof Act(Step step, String _)) {
            steps.merge(
                    "{step=\"%s\",result=\"%s\"}"
                            .formatted(
                                    step.getClass().getSimpleName().toLowerCase(Locale.ROOT),
                                    turn.problem().isPresent() ? "failed" : "done"),
                    1L,
                    Long::sum);
        }
        file.ifPresent(path -> {
            try {
                // no link is followed: the folder often belongs to another account
                files.writeHere(
                        path, text(turn).getBytes(StandardCharsets.UTF_8), FileMode.WORLD_READABLE);
            } catch (HostException e) {
                // its age shows it
            }
        });
        return turn;
    }

    private String text(Turn turn) {
        AutoFacts facts = turn.facts();
        Charter charter = facts.charter();
        StringBuilder text = new StringBuilder();
        family(text, "phase", "1 for the phase of the cluster.");
        for (Phase phase : Phase.values()) {
            series(text, "phase", label("phase", phase), is(charter.phase() == phase));
        }
        Optional<WaitCode> waits =
                turn.outcome().decision() instanceof Wait(var code, String _, String _)
                        ? Optional.of(code)
                        : Optional.empty();
        family(text, "waiting", "1 for what this machine waits for.");
        for (WaitCode code : WaitCode.values()) {
            series(
                    text,
                    "waiting",
                    label("code", code),
                    is(waits.filter(code::equals).isPresent()));
        }
        gauge(
                text,
                "generation",
                "Number of the cluster that the log is about.",
                charter.generation());
        gauge(
                text,
                "log_slot",
                "Newest entry of the log that was read.",
                charter.tail().slot());
        gauge(
                text,
                "store_up",
                "1 if the store responded.",
                is(facts.store() instanceof StoreView.Answers));
        gauge(
                text,
                "paused",
                "1 if the automatic mode is paused.",
                is(charter.pause().isPresent()));
        gauge(
                text,
                "change_open",
                "1 while the members are changed.",
                is(charter.change().isPresent()));
        gauge(
                text,
                "machines_ready",
                "Machines that could take a member.",
                facts.machines().values().stream()
                        .filter(seen -> seen.report().ready().ok())
                        .count());
        gauge(
                text,
                "voters_wanted",
                "Voters that the cluster is to have.",
                charter.seed().spec().nodes());
        if (facts.etcd() instanceof EtcdView.Answers(EtcdHealth health, String _)) {
            gauge(text, "voters", "Voters that etcd lists.", health.voters().size());
            gauge(text, "voters_healthy", "Voters that are healthy.", health.healthyVoters());
            gauge(
                    text,
                    "quorum_spare",
                    "Healthy voters that may fail before the quorum is lost.",
                    health.healthyVoters() - (health.voters().size() / 2 + 1));
        }
        family(text, "disk_state", "1 for what is in etcd's data directory.");
        for (String state : new String[] {"blank", "held", "unreadable", "lost", "other_disk"}) {
            series(
                    text,
                    "disk_state",
                    "{state=\"%s\"}".formatted(state),
                    is(state.equals(state(facts.local().data()))));
        }
        gauge(
                text,
                "removals",
                "Voters that machines have removed lately; three in 24 h, and they wait.",
                charter.members().removals().size());
        counter(text, "steps_total", "Commands that this run has carried out.");
        steps.forEach((labels, count) -> series(text, "steps_total", labels, count));
        counter(text, "store_requests_total", "Requests of this run to the store.");
        requests.forEach((name, count) -> series(
                text, "store_requests_total", "{request=\"%s\"}".formatted(name), count.sum()));
        return text.toString();
    }

    private static String state(Data data) {
        return switch (data) {
            case Data.Blank _ -> "blank";
            case Data.Held _ -> "held";
            case Data.Unreadable _ -> "unreadable";
            case Data.Lost _ -> "lost";
            case Data.OtherDisk _ -> "other_disk";
        };
    }

    private static void family(StringBuilder text, String name, String help) {
        family(text, name, help, "gauge");
    }

    private static void counter(StringBuilder text, String name, String help) {
        family(text, name, help, "counter");
    }

    private static void family(StringBuilder text, String name, String help, String type) {
        text.append(
                "# HELP %1$s%2$s %3$s\n# TYPE %1$s%2$s %4$s\n".formatted(PREFIX, name, help, type));
    }

    private static void gauge(StringBuilder text, String name, String help, long value) {
        family(text, name, help);
        series(text, name, "", value);
    }

    private static void series(StringBuilder text, String name, String labels, long value) {
        text.append(PREFIX)
                .append(name)
                .append(labels)
                .append(' ')
                .append(value)
                .append('\n');
    }

    private static String label(String name, Enum<?> value) {
        return "{%s=\"%s\"}".formatted(name, value.name().toLowerCase(Locale.ROOT));
    }

    private static long is(boolean value) {
        return value ? 1 : 0;
    }
}
