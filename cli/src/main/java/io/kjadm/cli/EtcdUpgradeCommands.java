package io.kjadm.cli;

import io.kjadm.core.config.CommandFlags;
import io.kjadm.core.config.Timeouts;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.check.EtcdCheckup;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.upgrade.EtcdDowngrade;
import io.kjadm.core.upgrade.EtcdOrder;
import io.kjadm.core.upgrade.EtcdOrder.Direction;
import io.kjadm.core.upgrade.EtcdPlace;
import io.kjadm.core.upgrade.EtcdVersionChange;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.KubernetesReleases;

import picocli.CommandLine;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** {@code kjadm etcd upgrade} and {@code kjadm etcd downgrade}. */
final class EtcdUpgradeCommands {

    private static final FlagOption REASON = new FlagOption(
            Flag.REASON, "Why the gates of --skip-gate are skipped; it is kept with the journal");

    private final Console console;
    private final Function<Console, Reporter> reporters;

    EtcdUpgradeCommands(Console console, Function<Console, Reporter> reporters) {
        this.console = console;
        this.reporters = reporters;
    }

    /** Both groups of commands. */
    List<CommandLine> build() {
        return List.of(upgrade(), downgrade());
    }

    private CommandLine upgrade() {
        return CommandBuilder.running(
                        "upgrade",
                        "Give this node's member another version of etcd, if its gates are passed",
                        (flags, words) -> change(Direction.UPGRADE, flags, words))
                .flags(changing())
                .words(
                        "version",
                        1,
                        "Of etcd, such as 3.6.14 (default that of the newest Kubernetes release of the cluster's minor)")
                .build();
    }

    private CommandLine downgrade() {
        return CommandBuilder.group(
                        "downgrade", "Bring etcd to the minor version before, safely", console)
                .subcommand(step(
                        "validate",
                        "Tell whether etcd may go down; changes nothing",
                        List.of(),
                        EtcdDowngrade::validate))
                .subcommand(step(
                        "enable",
                        "Let etcd go down: its data get the older format",
                        FlagOption.all(Flag.DRY_RUN),
                        EtcdDowngrade::enable))
                .subcommand(CommandBuilder.running(
                                "cancel",
                                "End a downgrade; members that have gone down go up again",
                                (flags, words) -> with(
                                        flags,
                                        (composition, place) ->
                                                downgrade(composition, place).cancel()))
                        .flags(FlagOption.all(Flag.DRY_RUN))
                        .build())
                .subcommand(CommandBuilder.running(
                                "apply",
                                "Give this node's member the lower version, once that is enabled",
                                (flags, words) -> change(Direction.DOWNGRADE, flags, words))
                        .flags(changing())
                        .words("version", 1, "Of etcd, such as 3.5.30")
                        .build())
                .build();
    }

    private static List<FlagOption> changing() {
        return FlagOption.explained(
                FlagOption.all(
                        Flag.DRY_RUN,
                        Flag.IMAGE_TAG,
                        Flag.PLAN,
                        Flag.REASON,
                        Flag.SKIP_GATE,
                        Flag.SOAK,
                        Flag.YES),
                REASON,
                new FlagOption(
                        Flag.YES, "Go on with two voters, though nothing is written meanwhile"));
    }

    private CommandLine step(
            String name,
            String description,
            List<FlagOption> flagOptions,
            BiConsumer<EtcdDowngrade, EtcdVersion> work) {
        return CommandBuilder.running(name, description, (flags, words) -> {
                    EtcdVersion target = EtcdDowngrade.target(required(words));
                    with(
                            flags,
                            (composition, place) ->
                                    work.accept(downgrade(composition, place), target));
                })
                .flags(flagOptions)
                .words("version", 1, "Of etcd, or its minor alone, such as 3.5")
                .build();
    }

    private static String required(List<String> words) {
        return words.stream()
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "the version of etcd is missing", "", "give it, such as 3.5.30"));
    }

    private void change(Direction direction, CommandFlags flags, List<String> words) {
        if (direction == Direction.DOWNGRADE) {
            required(words);
        }
        words.forEach(EtcdOrder::version);
        Duration soak = FlagDuration.of(flags, Flag.SOAK, EtcdOrder.SOAK);
        // what was typed is refused before anybody is asked
        order(direction, words.stream().findFirst().orElse("3.6.0"), flags, soak);
        with(flags, (composition, place) -> {
            EtcdOrder order = order(
                    direction,
                    words.stream().findFirst().orElseGet(() -> versionOf(place.stored())),
                    flags,
                    soak);
            EtcdVersionChange change = new EtcdVersionChange(
                    composition.ports().machine(),
                    composition.cluster(),
                    checkup(composition),
                    composition.preflightHost(KubernetesPaths.standard()),
                    composition.out());
            if (flags.isOn(Flag.PLAN)) {
                change.plan(place, order);
            } else {
                change.apply(place, order);
            }
        });
    }

    private static EtcdOrder order(
            Direction direction, String version, CommandFlags flags, Duration soak) {
        EtcdOrder order = EtcdOrder.to(direction, version, flags.text(Flag.IMAGE_TAG))
                .soaking(soak)
                .skipping(flags.list(Flag.SKIP_GATE), flags.text(Flag.REASON));
        return flags.isOn(Flag.YES) ? order.acceptingTwoVoters() : order;
    }

    /** That of the newest release that this program knows of the cluster's minor. */
    private static String versionOf(StoredConfiguration stored) {
        String tag = KubernetesReleases.KNOWN.etcdTag(stored.cluster().kubernetesVersion());
        return tag.substring(0, tag.lastIndexOf('-'));
    }

    private void with(CommandFlags flags, BiConsumer<Composition, EtcdPlace> work) {
        requireThisNode(flags);
        Reporter out = reporters.apply(console);
        try (Composition composition = new Composition(out, flags.isOn(Flag.DRY_RUN));
                Claim _ = HostLock.claim(composition.ports().files())) {
            UpgradeSource source = new UpgradeSource(
                    composition, EtcdSessions.kubeconfig(flags), Timeouts.DEFAULTS);
            StoredConfiguration stored = source.stored();
            work.accept(
                    composition,
                    new EtcdPlace(
                            stored, source.node(stored), source.kubeconfig(), source.timeouts()));
        }
    }

    /** The group's flags name other members; these commands are about the one of this node. */
    private static void requireThisNode(CommandFlags flags) {
        if (!flags.list(Flag.ENDPOINTS).isEmpty() || flags.path(Flag.CERT_DIR).isPresent()) {
            throw new UsageException(
                    "--endpoints and --cert-dir cannot be given here",
                    "the version is changed on the node that has the member, by its manifest",
                    "run the command on that node without them");
        }
    }

    private static EtcdDowngrade downgrade(Composition composition, EtcdPlace place) {
        return new EtcdDowngrade(
                composition.ports().machine(),
                composition.cluster(),
                checkup(composition),
                place,
                composition.out());
    }

    private static EtcdCheckup checkup(Composition composition) {
        return new EtcdCheckup(
                composition.ports().probes().etcd(), composition.ports().observer());
    }
}
