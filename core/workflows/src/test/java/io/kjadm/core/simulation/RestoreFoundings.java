package io.kjadm.core.simulation;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.model.Violation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** The clusters that restores began, and whether two of one may serve. */
final class RestoreFoundings {

    private final RestoreSimulation play;
    private final List<Founding> foundings = new ArrayList<>();
    private boolean excused;

    /**
     * A cluster that a restore began.
     *
     * @param excused machines that were given up by name and not seen by the last look, or by that
     *     of the cluster in whose place it came on this machine
     * @param served  whether it has ever served clients
     */
    private record Founding(
            String clusterId, int machine, Set<Integer> excused, AtomicBoolean served) {}

    RestoreFoundings(RestoreSimulation play) {
        this.play = play;
    }

    int count() {
        return foundings.size();
    }

    /** Whether two have served by the word of an operator. */
    boolean excused() {
        return excused;
    }

    /**
     * Each second: which clusters serve now.
     *
     * @param clusters the machines that run each of them
     */
    void check(Map<String, List<RestoreMachine>> clusters) {
        Map<String, Set<Integer>> serving = new LinkedHashMap<>();
        clusters.forEach((id, members) -> {
            Set<Integer> led = members.stream()
                    .filter(machine -> machine.etcd.get().led)
                    .map(machine -> machine.number)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (!led.isEmpty() && (id.equals(RestoreMachine.OLD) || founding(id).isPresent())) {
                serving.put(id, led);
                founding(id).ifPresent(one -> one.served().set(true));
            }
        });
        if (serving.size() > 1) {
            judge(serving);
        }
    }

    private Optional<Founding> founding(String id) {
        return foundings.stream().filter(one -> one.clusterId().equals(id)).findFirst();
    }

    /** The one that began last has to be excused by each of the others. */
    private void judge(Map<String, Set<Integer>> serving) {
        Founding last = foundings.stream()
                .filter(one -> serving.containsKey(one.clusterId()))
                .reduce((_, later) -> later)
                .orElseThrow();
        boolean allowed = serving.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(last.clusterId()))
                .allMatch(entry -> entry.getValue().stream().anyMatch(last.excused()::contains));
        play.log(play.machine(last.machine()), "two clusters serve: " + serving + ", " + last);
        if (!allowed) {
            throw new Violation("two clusters of one serve clients: " + serving
                    + "; the last one was begun on machine " + last.machine()
                    + " and gave up unseen " + last.excused());
        }
        excused = true;
    }

    /** A program starts the etcd of a restored cluster. */
    void starts(RestoreRun run) {
        Optional<MemberIds> ids = new DataDirReader(run.host.files).idsIn(RestoreMachine.MEMBER);
        ids.filter(found -> !found.clusterId().equals(RestoreMachine.OLD)).ifPresent(found -> {
            foundings.removeIf(one -> one.clusterId().equals(found.clusterId()));
            boolean led = run.led
                    .filter(leader ->
                            leader.counts(run.host, play.instant(), RestoreSimulation.FRESH))
                    .isPresent();
            Set<Integer> unseen = run.given.stream()
                    .filter(number -> !led && !run.seen.getOrDefault(number, false))
                    .collect(Collectors.toCollection(TreeSet::new));
            // nothing that this machine could reach lists them
            play.machines.stream()
                    .filter(machine -> !led && !play.knows(run.host, machine))
                    .filter(machine -> !run.listed.contains(machine.name))
                    .forEach(machine -> unseen.add(machine.number));
            // who was given up for the cluster in whose place this one comes stays given up
            foundings.stream()
                    .filter(one ->
                            one.machine() == run.host.number && one.served().get())
                    .forEach(one -> unseen.addAll(one.excused()));
            foundings.add(
                    new Founding(found.clusterId(), run.host.number, unseen, new AtomicBoolean()));
        });
    }
}
