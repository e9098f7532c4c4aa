package io.kjadm.core.etcd.version;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.etcd.SnapshotSaver;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Seen;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.upgrade.EtcdDowngradePath;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.MemberTurnRules;
import io.kjadm.etcd.upgrade.VersionGates;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * {@code etcd downgrade validate}, {@code enable} and {@code cancel}: what is said to the cluster
 * before its members go down, and if they are not to.
 */
public final class EtcdDowngrade {

    private static final String AREA = "etcd";
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** The leader looks every few seconds; then each member rewrites what has changed. */
    private static final Duration SINKING = Duration.ofMinutes(2);

    private final Machine machine;
    private final EtcdInstallation installation;
    private final EtcdGates gates;
    private final EtcdMemberExchange member;
    private final Reporter out;

    /** @param checkup looks at all members */
    public EtcdDowngrade(
            Machine machine, EtcdCheckup checkup, EtcdInstallation installation, Reporter out) {
        this.machine = machine;
        this.installation = installation;
        this.gates = new EtcdGates(machine, checkup, installation, out);
        this.member = new EtcdMemberExchange(machine, installation, out);
        this.out = out;
    }

    /** A version, or a minor alone, which stands for the oldest release of it that may be had. */
    public static EtcdVersion target(String text) {
        boolean minor = text.chars().filter(letter -> letter == '.').count() == 1;
        EtcdVersion version = EtcdOrder.version(minor ? text + ".0" : text);
        return minor
                ? VersionGates.shipped()
                        .into(new EtcdVersion(version.major(), version.minor() + 1, 0))
                        .flatMap(VersionGates.Step::downgradeTo)
                        .map(VersionGates.Minimum::version)
                        .orElse(version)
                : version;
    }

    /**
     * Whether the cluster may go down; changes nothing.
     *
     * @throws ClusterException if it may not
     */
    public void validate(EtcdVersion target) {
        try (EtcdCluster cluster = member.connect()) {
            if (underWay(member.see(cluster).health(), target)) {
                out.step(
                        AREA,
                        "The downgrade of etcd to %s is already enabled".formatted(minor(target)));
                return;
            }
            requireAllowed(cluster, target);
            out.step(AREA, "etcd can be downgraded to " + minor(target));
        }
    }

    private void requireAllowed(EtcdCluster cluster, EtcdVersion target) {
        requireAllowed(cluster, target, _ -> true);
    }

    /** @param told which of the findings are told, besides those that stop it */
    private void requireAllowed(
            EtcdCluster cluster, EtcdVersion target, Predicate<EtcdUpgradeFinding> told) {
        EtcdOrder order =
                EtcdOrder.to(EtcdOrder.Direction.DOWNGRADE, target.toString(), Optional.empty());
        EtcdGates.require(
                order,
                MemberTurnRules.weighed(EtcdDowngradePath.ofCluster(
                                gates.facts(target, member.see(cluster), false)))
                        .stream()
                        .filter(finding -> order.isStoppedBy(finding) || told.test(finding))
                        .toList(),
                out);
        try {
            cluster.validateDowngrade(target);
        } catch (EtcdCallException e) {
            throw new ClusterException(
                    "etcd cannot be downgraded to " + minor(target),
                    e.text(),
                    "see 'kjadm etcd status'",
                    e);
        }
    }

    /**
     * Lets the cluster go down, and waits until the data are in the older format. May be repeated.
     *
     * @throws ClusterException if it may not and nothing is changed, or if it takes too long
     */
    public void enable(EtcdVersion target) {
        inTurn("etcd downgrade enable", (cluster, held) -> {
            Seen seen = member.see(cluster);
            if (underWay(seen.health(), target)) {
                out.step(
                        AREA,
                        "The downgrade of etcd to %s is already enabled".formatted(minor(target)));
            } else {
                requireAllowed(cluster, target);
                saveSnapshot(cluster, seen, target);
                // it may have taken minutes: a member that is lost by now could not be replaced
                // while a downgrade is under way
                requireAllowed(cluster, target, toldBefore -> false);
                held.requireHeld();
                change(
                        "etcd to enable the downgrade",
                        cluster,
                        () -> cluster.enableDowngrade(target),
                        health -> underWay(health, target));
                out.step(AREA, "Enabled the downgrade of etcd to " + minor(target));
            }
            await(
                    "all members to use the storage format of " + minor(target),
                    cluster,
                    health -> sunk(health, target));
            out.step(
                    AREA,
                    "The data is in the storage format of %s. Now run 'kjadm etcd downgrade apply %s' on %s"
                            .formatted(
                                    minor(target),
                                    target,
                                    MemberTurnRules.pending(gates.facts(target, seen, false))
                                            .stream()
                                            .map(Member::label)
                                            .collect(Collectors.joining(", then on "))));
        });
    }

    private void saveSnapshot(EtcdCluster cluster, Seen seen, EtcdVersion target) {
        Path file = installation
                .snapshotDir()
                .resolve("kjadm-etcd-before-downgrade-%s.db".formatted(minor(target)));
        new SnapshotSaver(machine.files(), out, AREA)
                .save(cluster, seen.own(), installation.host().state().ownClientUrls(), file);
        out.step(AREA, "The snapshot is kept in " + file);
    }

    /**
     * Ends a downgrade: members that have gone down are to go up again. May be repeated.
     *
     * @throws ClusterException if it does not end
     */
    public void cancel() {
        inTurn("etcd downgrade cancel", (cluster, _) -> {
            EtcdHealth health = member.see(cluster).health();
            if (health.downgradeUnderWay().isEmpty()) {
                out.step(AREA, "There is no downgrade to cancel");
                return;
            }
            EtcdVersion newest = health.versions().getLast();
            change(
                    "etcd to cancel the downgrade",
                    cluster,
                    cluster::cancelDowngrade,
                    now -> now.downgradeUnderWay().isEmpty());
            out.step(AREA, "The downgrade is cancelled");
            String down = health.members().stream()
                    .filter(one -> health.status(one.id())
                            .filter(status -> status.version().minor() < newest.minor())
                            .isPresent())
                    .map(Member::label)
                    .collect(Collectors.joining(", then on "));
            if (!down.isEmpty()) {
                out.step(
                        AREA,
                        "Now run 'kjadm etcd upgrade %s' on %s, where etcd was downgraded"
                                .formatted(newest, down));
            }
        });
    }

    private void inTurn(String operation, BiConsumer<EtcdCluster, HeldLock> work) {
        try (HeldLock held = installation
                        .lock()
                        .take(Work.beginning(operation), MembershipLock.LONGEST_WAIT);
                EtcdCluster cluster = member.connect()) {
            work.accept(cluster, held);
        }
    }

    /** A reply may be lost: what the members tell is what counts. */
    private void change(
            String what, EtcdCluster cluster, Runnable call, Function<EtcdHealth, Boolean> done) {
        String refusal =
                EtcdCallException.of(call).map(e -> " (%s)".formatted(e.text())).orElse("");
        await(what + refusal, cluster, done);
    }

    private void await(String what, EtcdCluster cluster, Function<EtcdHealth, Boolean> done) {
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                what,
                                SINKING,
                                INTERVAL,
                                "see 'kjadm etcd status', then run the same command again"),
                        () -> {
                            EtcdHealth health = member.see(cluster).health();
                            return done.apply(health)
                                    ? Attempt.done(true)
                                    : Attempt.notYet(told(health));
                        });
    }

    private static String told(EtcdHealth health) {
        return "the members report "
                + health.members().stream()
                        .map(one -> one.label() + " "
                                + health.status(one.id())
                                        .flatMap(status -> status.versions().storage())
                                        .map(EtcdDowngrade::minor)
                                        .orElse("nothing"))
                        .collect(Collectors.joining(", "));
    }

    private static boolean underWay(EtcdHealth health, EtcdVersion target) {
        return health.statuses().values().stream()
                .flatMap(status -> status.versions().downgradeTarget().stream())
                .anyMatch(to -> minor(to).equals(minor(target)));
    }

    /** Those that have gone down tell nothing. */
    private static boolean sunk(EtcdHealth health, EtcdVersion target) {
        return health.allVotersHealthy()
                && health.statuses().values().stream()
                        .flatMap(status -> status.versions().storage().stream())
                        .allMatch(version -> minor(version).equals(minor(target)));
    }

    private static String minor(EtcdVersion version) {
        return version.major() + "." + version.minor();
    }
}
