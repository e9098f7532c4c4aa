package io.kjadm.core.etcd.version;

import io.kjadm.core.error.Causes;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Seen;
import io.kjadm.core.etcd.version.EtcdMemberExchange.Wanted;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.lock.MembershipLock.HeldLock;
import io.kjadm.core.lock.MembershipLock.Work;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.Problem;
import io.kjadm.etcd.upgrade.EtcdUpgradeFinding;
import io.kjadm.etcd.upgrade.EtcdUpgradePath;
import io.kjadm.etcd.upgrade.MemberTurnRules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * {@code etcd upgrade} and {@code etcd downgrade apply}: gives this node's member another version
 * of etcd, whatever version Kubernetes has, and tells whose turn is next. What was exchanged and
 * does not work goes back; what was interrupted is gone on with by the same command. The cluster's
 * configuration gets the version when the last member has it: until then a node that joins gets
 * the former one, which every cluster version between takes.
 */
public final class EtcdVersionChange {

    private static final String AREA = "etcd";

    private static final Duration RISING = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Machine machine;
    private final EtcdCheckup checkup;
    private final EtcdInstallation installation;
    private final Reporter out;

    /** @param checkup looks at all members */
    public EtcdVersionChange(
            Machine machine, EtcdCheckup checkup, EtcdInstallation installation, Reporter out) {
        this.machine = machine;
        this.checkup = checkup;
        this.installation = installation;
        this.out = out;
    }

    /**
     * Shows what would be done, and changes nothing.
     *
     * @throws ClusterException if something stops it
     */
    public void plan(EtcdOrder order) {
        new Run(order).plan();
    }

    /**
     * Gives this node's member the version. May be repeated.
     *
     * @throws ClusterException if it may not have it now and nothing is changed, or if it does not
     *     come back and is as it was before
     */
    public void apply(EtcdOrder order) {
        Run run = new Run(order);
        run.locked(run::conclude);
    }

    /**
     * Gives this node's member the version as a part of an upgrade of Kubernetes, which looks after
     * the other members and the cluster's configuration. May be repeated.
     *
     * @throws ClusterException as {@link #apply}
     */
    public void applyHere(EtcdOrder order) {
        new Run(order).locked(() -> {});
    }

    private final class Run {

        private final EtcdOrder order;
        private final EtcdGates gates;
        private final EtcdMemberExchange member;

        Run(EtcdOrder order) {
            // what cannot be read here is told before anybody is asked
            out.detail("etcd: this machine's etcd is set up for " + installation.version());
            this.order = order;
            this.gates = new EtcdGates(machine, checkup, installation, out);
            this.member = new EtcdMemberExchange(machine, installation, out);
        }

        void plan() {
            try (EtcdCluster cluster = member.connect()) {
                Seen seen = member.see(cluster);
                EtcdUpgradePath.Facts facts = gates.facts(order.target(), seen, false);
                List<EtcdUpgradeFinding> findings = new ArrayList<>(gates.findings(order, facts));
                gates.hashes(cluster, seen.health()).ifPresent(findings::add);
                EtcdVersionPlan plan =
                        new EtcdVersionPlan(order, facts, installation.release(order), findings);
                plan.lines().forEach(out::print);
                plan.requireGo();
            }
        }

        /** @param afterwards what follows under the same lock */
        void locked(Runnable afterwards) {
            installation.requireNoOtherChange();
            Work work = Work.beginning("etcd " + order.direction().command());
            try (HeldLock held = installation.lock().take(work, MembershipLock.LONGEST_WAIT)) {
                NodeChanges changes = installation.begin(order.target());
                requireSpared(changes);
                held.requireHeld();
                exchangeOrPutBack(changes, held);
                changes.end(machine.waiter().now())
                        .ifPresent(kept -> out.step(
                                AREA, "The replaced files and the snapshot are kept in " + kept));
                afterwards.run();
            }
        }

        /**
         * What an earlier run has exchanged is restarted: other voters may be down since then.
         *
         * @throws ClusterException if they need this member, and nothing is changed
         */
        private void requireSpared(NodeChanges changes) {
            if (!changes.rollingBack()
                    && member.exchangedBefore(order.target(), changes).isPresent()) {
                try (EtcdCluster cluster = member.connect()) {
                    member.spare(cluster);
                }
            }
        }

        private void exchangeOrPutBack(NodeChanges changes, HeldLock held) {
            new ReversibleRun(changes, AREA, out, () -> putBack(changes))
                    .run(
                            () -> exchange(changes, held),
                            "the change of this node's etcd was rolled back",
                            () -> "Rolling back this node's etcd to " + changes.from());
        }

        private void exchange(NodeChanges changes, HeldLock held) {
            try (EtcdCluster cluster = member.connect()) {
                exchange(cluster, changes, held);
            }
        }

        private void exchange(EtcdCluster cluster, NodeChanges changes, HeldLock held) {
            Optional<String> begun = member.exchangedBefore(order.target(), changes);
            if (begun.isPresent()) {
                out.step(AREA, "Resuming: etcd was already replaced by an earlier run");
                seeThrough(cluster, begun.get(), 0, changes);
                return;
            }
            Seen before = member.see(cluster);
            if (installation.has(order, before.running())
                    && changes.changedSteps().isEmpty()) {
                out.step(AREA, "This node's etcd is up to date: " + installation.release(order));
                return;
            }
            requireGates(cluster, before);
            noteSkipped(changes);
            installation.fetch(order);
            Seen now = member.prepare(
                    cluster,
                    before,
                    changes,
                    seen -> EtcdGates.require(
                            order,
                            gates.findings(order, gates.facts(order.target(), seen, true)).stream()
                                    .filter(order::isStoppedBy)
                                    .toList(),
                            out));
            held.requireHeld();
            String text = installation.text(order, member.listed(now));
            seeThrough(cluster, text, now.health().commit(), changes);
        }

        private void requireGates(EtcdCluster cluster, Seen before) {
            List<EtcdUpgradeFinding> findings = new ArrayList<>(
                    gates.findings(order, gates.facts(order.target(), before, true)));
            gates.hashes(cluster, before.health()).ifPresent(findings::add);
            EtcdGates.require(order, findings, out);
        }

        /** Kept beside the journal, and with what is kept in the end. */
        private void noteSkipped(NodeChanges changes) {
            if (order.reason().isEmpty()) {
                return;
            }
            String names = order.skipped().stream()
                    .map(EtcdUpgradeFinding.Rule::checkName)
                    .sorted()
                    .collect(Collectors.joining(", "));
            out.warn("skipped checks: %s. Reason: %s".formatted(names, order.reason()));
            machine.files()
                    .write(
                            changes.snapshotFile().resolveSibling("skipped-gates"),
                            "%s %s: %s%n".formatted(machine.waiter().now(), names, order.reason()),
                            FileMode.OWNER_ONLY);
        }

        private void seeThrough(
                EtcdCluster cluster, String text, long committed, NodeChanges changes) {
            member.seeThrough(
                    cluster, new Wanted(order.target(), text, committed, order.soak()), changes);
            EtcdGates.require(
                    order,
                    gates.hashes(cluster, member.see(cluster).health()).stream().toList(),
                    out);
            changes.done(EtcdServer.STEP);
            installation.awaitUsers();
        }

        private List<String> putBack(NodeChanges changes) {
            try {
                Optional<Problem> stays = member.rollBack(order.target(), changes);
                if (stays.isPresent()) {
                    changes.goForward();
                    return List.of(stays.get().toString());
                }
                changes.restored(EtcdServer.STEP);
                out.step(AREA, "etcd was rolled back, and works");
                changes.end(machine.waiter().now());
                installation.awaitUsers();
                return List.of();
            } catch (KjadmException e) {
                return List.of(Causes.words(e));
            }
        }

        /** What is left to others, or to be noted once nobody is left. */
        private void conclude() {
            List<Member> pending;
            try (EtcdCluster cluster = member.connect()) {
                EtcdUpgradePath.Facts facts =
                        gates.facts(order.target(), member.see(cluster), true);
                // in a dry run this node's member tells its former version still
                pending = MemberTurnRules.pending(facts).stream()
                        .filter(other -> !member.isOwn(other))
                        .toList();
                if (pending.isEmpty()) {
                    awaitClusterVersion(cluster);
                }
            }
            if (!pending.isEmpty()) {
                out.step(
                        AREA,
                        "Now run '%s' on %s"
                                .formatted(
                                        EtcdVersionPlan.command(order),
                                        pending.stream()
                                                .map(Member::label)
                                                .collect(Collectors.joining(", then on "))));
                return;
            }
            installation.store(order);
            out.step(
                    AREA,
                    switch (order.direction()) {
                        case UPGRADE -> "All members of etcd run " + order.target();
                        case DOWNGRADE ->
                            "All members of etcd run %s, and the downgrade has ended"
                                    .formatted(order.target());
                    });
        }

        /** etcd tells it to who asks for the minor below. The data follow a moment later. */
        private void awaitClusterVersion(EtcdCluster cluster) {
            EtcdVersion target = order.target();
            if (!target.atLeast(3, 5)) {
                return;
            }
            EtcdVersion below = new EtcdVersion(target.major(), target.minor() - 1, 0);
            machine.waiter()
                    .until(
                            new Await(
                                    AREA,
                                    "the version of the etcd cluster to be %d.%d"
                                            .formatted(target.major(), target.minor()),
                                    RISING,
                                    INTERVAL,
                                    "see 'kjadm etcd status', then run the same command again"),
                            () -> {
                                try {
                                    EtcdVersion told = cluster.validateDowngrade(below);
                                    return Attempt.done(told);
                                } catch (EtcdCallException e) {
                                    return Attempt.notYet(e.text());
                                }
                            });
        }
    }
}
