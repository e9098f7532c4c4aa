package io.kjadm.cli.etcd;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.listing.EtcdListing;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.Ports;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.MemberAdoption;
import io.kjadm.core.etcd.commands.ApiClusterLookup;
import io.kjadm.core.etcd.commands.ClusterLookup;
import io.kjadm.core.etcd.commands.EtcdSession;
import io.kjadm.core.etcd.commands.EtcdTarget;
import io.kjadm.core.etcd.commands.MembershipSteps;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.QueueLookup;
import io.kjadm.core.timing.Timings;
import io.kjadm.etcd.EtcdConnector;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What the commands of etcd ask it through: by this node's files, or as the flags say.
 *
 * @param etcd how it is reached
 */
record EtcdSessions(
        Console console, Function<Console, Reporter> reporters, UnaryOperator<EtcdConnector> etcd) {

    /** The flags that say which etcd is meant. */
    static final List<FlagOption> WHERE = FlagOption.explained(
            FlagOption.all(Flag.CERT_DIR, Flag.ENDPOINTS, Flag.KUBECONFIG),
            new FlagOption(
                    Flag.CERT_DIR,
                    "The path where the certificates are, etcd's below etcd/ "
                            + "(default that of the etcd manifest, else /etc/kubernetes/pki)"));

    /** Does some work on the etcd that the flags tell of. */
    void with(CommandFlags flags, BiConsumer<EtcdSession, Composition> work) {
        EtcdTarget target = EtcdTarget.of(flags.list(Flag.ENDPOINTS), flags.path(Flag.CERT_DIR));
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(
                out, Ports.of(out, flags.isOn(Flag.DRY_RUN)).withEtcd(etcd), Timings.none())) {
            ClusterLookup hints = lookup(flags, composition);
            EtcdClients clients = composition.etcdClients();
            LocalEtcdState node = composition.etcdHost().state();
            try (EtcdSession session =
                    asking(out, () -> new EtcdSession(clients, hints, node, target))) {
                work.accept(session, composition);
            }
        }
    }

    /** What a command that changes etcd works with. */
    record Changing(EtcdSession session, MembershipSteps steps, Composition composition) {}

    /** Does a change to the etcd that the flags tell of. */
    void changing(CommandFlags flags, ChangingCommand command, Consumer<Changing> change) {
        with(flags, (session, composition) -> {
            requireNothingUnfinished(flags, command, composition);
            adopt(flags, session, composition);
            change.accept(new Changing(session, steps(flags, session, composition), composition));
        });
    }

    /** What changes of members are made of. */
    MembershipSteps steps(CommandFlags flags, EtcdSession session, Composition composition) {
        return new MembershipSteps(
                session,
                membershipLock(flags, composition),
                composition.ports().waiter(),
                composition.out(),
                status -> console.err().print(new EtcdListing(status).table()));
    }

    /** Marks the data of this machine's member, which another program may have set up. */
    static void adopt(CommandFlags flags, EtcdSession session, Composition composition) {
        if (flags.list(Flag.ENDPOINTS).isEmpty()) {
            Ports ports = composition.ports();
            new MemberAdoption(ports.files(), composition.out())
                    .mark(session.cluster(), session.node(), ports.waiter().now());
        }
    }

    /** What is unfinished on this machine is about this machine's etcd, and no other. */
    static void requireNothingUnfinished(
            CommandFlags flags, ChangingCommand command, Composition composition) {
        if (flags.list(Flag.ENDPOINTS).isEmpty()) {
            composition.refuseBesideUnfinished(command);
        }
    }

    /** Whether the flags leave it to this machine, and that has an etcd of its own. */
    private static boolean own(CommandFlags flags, Composition composition) {
        return flags.list(Flag.ENDPOINTS).isEmpty()
                && !flags.isSet(Flag.KUBECONFIG)
                && composition.etcdHost() instanceof SystemdEtcd;
    }

    /** What tells of others that change the same. */
    static ClusterLookup lookup(CommandFlags flags, Composition composition) {
        Ports ports = composition.ports();
        return own(flags, composition)
                ? new QueueLookup()
                : new ApiClusterLookup(
                        ports.observed(),
                        composition.clients(),
                        kubeconfig(flags),
                        ports.observer());
    }

    /** Keeps joins, resets and other commands away. */
    static MembershipLock membershipLock(CommandFlags flags, Composition composition) {
        if (own(flags, composition)) {
            return new StandaloneEtcd(composition).lock();
        }
        return composition
                .cluster()
                .locks()
                .of(
                        () -> composition.clients().of(kubeconfig(flags)),
                        new HostInfo(composition.ports().observed()).hostname(),
                        composition.out());
    }

    /** Of whom the API server is asked as. */
    static Path kubeconfig(CommandFlags flags) {
        return flags.path(Flag.KUBECONFIG).orElse(KubernetesPaths.standard().adminConf());
    }

    /** Shows meanwhile that etcd is being asked. */
    static <T> T asking(Reporter out, Supplier<T> question) {
        return out.during("etcd", "Asking the members of etcd", question);
    }
}
