package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.cli.wiring.Composition;
import io.kjadm.cli.wiring.UpgradeSource;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.host.StaticPodEtcd;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.version.EtcdDowngrade;
import io.kjadm.core.etcd.version.EtcdInstallation;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.EtcdOrder.Direction;
import io.kjadm.core.etcd.version.EtcdVersionChange;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.ChangingCommand;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.standalone.EtcdRunLoader;
import io.kjadm.core.upgrade.EtcdPlace;
import io.kjadm.core.upgrade.EtcdPodInstallation;
import io.kjadm.core.upgrade.StoredConfiguration;
import io.kjadm.core.value.Timeouts;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.KubernetesReleases;

import picocli.CommandLine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** {@code kjadm etcd upgrade} and {@code kjadm etcd downgrade}. */
record EtcdUpgradeCommands(Console console, Function<Console, Reporter> reporters) {

    private static final FlagOption REASON = new FlagOption(
            Flag.REASON, "Why the checks of --skip-check are skipped; stored in the journal");

    /** Both groups of commands. */
    List<CommandLine> build() {
        return List.of(upgrade(), downgrade());
    }

    private CommandLine upgrade() {
        return CommandBuilder.running(
                        "upgrade",
                        "Upgrade the etcd member of this node to another version, after checks",
                        (flags, words) -> change(Direction.UPGRADE, flags, words))
                .flags(changing())
                .hiddenFlags(Flag.SKIP_GATE)
                .words(
                        "version",
                        1,
                        "etcd version, such as 3.6.14 (default that of the newest Kubernetes release of the cluster's minor version)")
                .example("Show the checks and the order of the members", "3.6.14 --plan")
                .example("Upgrade the member of this node", "3.6.14")
                .example(
                        "Install a release from a file, with a standalone etcd",
                        "3.6.14 --etcd-tarball etcd-v3.6.14-linux-amd64.tar.gz")
                .build();
    }

    private CommandLine downgrade() {
        return CommandBuilder.group(
                        "downgrade", "Downgrade etcd to the previous minor version", console)
                .subcommand(step(
                        "validate",
                        "Check whether etcd can be downgraded; changes nothing",
                        false,
                        List.of(),
                        EtcdDowngrade::validate))
                .subcommand(step(
                        "enable",
                        "Enable the downgrade: members switch to the older storage format",
                        true,
                        FlagOption.all(Flag.DRY_RUN),
                        EtcdDowngrade::enable))
                .subcommand(CommandBuilder.running(
                                "cancel",
                                "Cancel a downgrade; members that were downgraded must be upgraded again",
                                (flags, words) -> with(
                                        flags, true, site -> downgrade(site).cancel()))
                        .flags(FlagOption.all(Flag.DRY_RUN))
                        .example("Cancel the downgrade", "")
                        .build())
                .subcommand(CommandBuilder.running(
                                "apply",
                                "Downgrade the etcd member of this node, after the downgrade was enabled",
                                (flags, words) -> change(Direction.DOWNGRADE, flags, words))
                        .flags(changing())
                        .hiddenFlags(Flag.SKIP_GATE)
                        .words("version", 1, "etcd version, such as 3.5.30")
                        .example("Downgrade the member of this node", "3.5.30")
                        .example("Show the checks and the order of the members", "3.5.30 --plan")
                        .build())
                .build();
    }

    private static List<FlagOption> changing() {
        return FlagOption.explained(
                FlagOption.all(
                        Flag.ALLOW_INSECURE_RELEASE_SERVER,
                        Flag.DRY_RUN,
                        Flag.ETCD_TARBALL,
                        Flag.IMAGE_TAG,
                        Flag.PLAN,
                        Flag.REASON,
                        Flag.RELEASE_URL,
                        Flag.SKIP_CHECK,
                        Flag.SOAK,
                        Flag.YES),
                REASON,
                new FlagOption(
                        Flag.YES,
                        "Continue with two voters; etcd accepts no writes during the restart"));
    }

    private CommandLine step(
            String name,
            String description,
            boolean changes,
            List<FlagOption> flagOptions,
            BiConsumer<EtcdDowngrade, EtcdVersion> work) {
        return CommandBuilder.running(name, description, (flags, words) -> {
                    EtcdVersion target = EtcdDowngrade.target(required(words));
                    with(flags, changes, site -> work.accept(downgrade(site), target));
                })
                .flags(flagOptions)
                .words("version", 1, "etcd version, or its minor version only, such as 3.5")
                .example(description.replaceFirst("[:;].*", ""), "3.5")
                .build();
    }

    private static String required(List<String> words) {
        return words.stream()
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "the etcd version is missing", "", "specify it, for example 3.5.30"));
    }

    private void change(Direction direction, CommandFlags flags, List<String> words) {
        if (direction == Direction.DOWNGRADE) {
            required(words);
        }
        words.forEach(EtcdOrder::version);
        Duration soak = flags.duration(Flag.SOAK).orElse(EtcdOrder.SOAK);
        // what was typed is refused before anybody is asked
        order(direction, words.stream().findFirst().orElse("3.6.0"), flags, soak);
        with(flags, !flags.isOn(Flag.PLAN), site -> {
            EtcdOrder order =
                    order(direction, words.stream().findFirst().orElse(site.newest()), flags, soak);
            EtcdVersionChange change = new EtcdVersionChange(
                    site.composition().ports().machine(),
                    site.composition().etcdCheckup(),
                    site.installation(),
                    site.composition().out());
            if (flags.isOn(Flag.PLAN)) {
                change.plan(order);
            } else {
                change.apply(order);
            }
        });
    }

    private static EtcdOrder order(
            Direction direction, String version, CommandFlags flags, Duration soak) {
        EtcdOrder order = EtcdOrder.to(direction, version, flags.text(Flag.IMAGE_TAG))
                .soaking(soak)
                .skipping(
                        Stream.concat(
                                        flags.list(Flag.SKIP_CHECK).stream(),
                                        flags.list(Flag.SKIP_GATE).stream())
                                .toList(),
                        flags.text(Flag.REASON));
        return flags.isOn(Flag.YES) ? order.acceptingTwoVoters() : order;
    }

    /** That of the newest release that this program knows of the cluster's minor. */
    private static String versionOf(StoredConfiguration stored) {
        String tag = KubernetesReleases.KNOWN.etcdTag(stored.cluster().kubernetesVersion());
        return tag.substring(0, tag.lastIndexOf('-'));
    }

    /**
     * Where the version is changed.
     *
     * @param newest version, if none is given
     */
    private record Site(Composition composition, EtcdInstallation installation, String newest) {}

    /** @param changes whether another run on this machine would be in the way */
    private void with(CommandFlags flags, boolean changes, Consumer<Site> work) {
        requireThisNode(flags);
        Reporter out = reporters.apply(console);
        Composition opened = new Composition(out, flags.isOn(Flag.DRY_RUN));
        try (Composition composition =
                changes ? opened.changing(ChangingCommand.CHANGING_VERSION) : opened) {
            work.accept(
                    switch (composition.etcdHost()) {
                        case SystemdEtcd etcd -> service(flags, composition, etcd);
                        case StaticPodEtcd _ -> pod(flags, composition);
                    });
        }
    }

    private static Site pod(CommandFlags flags, Composition composition) {
        ForeignFlags.refuseReleaseSource(flags);
        UpgradeSource source =
                new UpgradeSource(composition, EtcdSessions.kubeconfig(flags), Timeouts.DEFAULTS);
        StoredConfiguration stored = source.stored();
        EtcdPlace place =
                new EtcdPlace(stored, source.node(stored), source.kubeconfig(), source.timeouts());
        return new Site(
                composition,
                new EtcdPodInstallation(
                        composition.ports().machine(),
                        composition.cluster(),
                        place,
                        composition.preflightHost(KubernetesPaths.standard()),
                        Failpoints.ofProcess().fuse(composition.ports().waiter()),
                        composition.out()),
                versionOf(stored));
    }

    private static Site service(CommandFlags flags, Composition composition, SystemdEtcd etcd) {
        ForeignFlags.refuse(
                flags,
                List.of(Flag.IMAGE_TAG, Flag.KUBECONFIG),
                "this machine runs etcd as a systemd service, which is upgraded to a release",
                "leave it out");
        return new Site(
                composition,
                new StandaloneEtcd(composition).installation(flags, etcd),
                EtcdRunLoader.version(CommandFlags.none(), Optional.empty()).toString());
    }

    /** The group's flags name other members; these commands are about the one of this node. */
    private static void requireThisNode(CommandFlags flags) {
        if (!flags.list(Flag.ENDPOINTS).isEmpty() || flags.path(Flag.CERT_DIR).isPresent()) {
            throw new UsageException(
                    "--endpoints and --cert-dir cannot be given here",
                    "the version is changed on the machine that has the member",
                    "run the command on that node without them");
        }
    }

    private static EtcdDowngrade downgrade(Site site) {
        return new EtcdDowngrade(
                site.composition().ports().machine(),
                site.composition().etcdCheckup(),
                site.installation(),
                site.composition().out());
    }
}
