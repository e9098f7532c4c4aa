package io.kjadm.cli.etcd;

import io.kjadm.cli.command.CommandBuilder;
import io.kjadm.cli.command.FlagOption;
import io.kjadm.cli.console.Console;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.DiskFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.snapshot.SnapshotStores;
import io.kjadm.core.snapshot.schedule.Interval;
import io.kjadm.core.snapshot.schedule.SystemdUnits;
import io.kjadm.core.value.GoDuration;
import io.kjadm.manifests.EtcdPod;
import io.kjadm.manifests.ManifestYaml;
import io.kjadm.manifests.SnapshotCronJob;

import picocli.CommandLine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** {@code kjadm etcd snapshot schedule}. */
record SnapshotScheduleCommand(Console console) {

    private static final Path PROGRAM = Path.of("/usr/local/bin/kjadm");
    private static final Duration EVERY = Duration.ofHours(1);
    private static final List<Flag> SAVE = List.of(
            Flag.STORE,
            Flag.COMPRESS,
            Flag.ENCRYPT_TO,
            Flag.LABEL,
            Flag.METRICS_FILE,
            Flag.SIGN_KEY,
            Flag.VERIFY,
            Flag.WITH_PKI,
            Flag.ETCD_BIN,
            Flag.WORK_DIR,
            Flag.CERT_DIR,
            Flag.ENDPOINTS,
            Flag.KUBECONFIG);

    /** Those that mean another place in another working directory. */
    private static final Set<Flag> PATHS =
            Set.of(Flag.STORE, Flag.METRICS_FILE, Flag.SIGN_KEY, Flag.VERIFY_KEY, Flag.WORK_DIR);

    private static final String BY_TAG = """
            # Anyone who can push this tag decides what runs as root on a control-plane node: name the image by its
            # digest, IMAGE@sha256:...
            """;

    CommandLine build() {
        return CommandBuilder.running(
                        "schedule",
                        "Print a systemd timer or a CronJob that saves snapshots regularly and deletes old ones",
                        (flags, words) -> print(flags))
                .flags(FlagOption.all(
                        FlagOption.all(Flag.SYSTEMD, Flag.CRON_JOB, Flag.EVERY),
                        Flag.IMAGE,
                        Flag.VERIFY_KEY))
                .flags(SnapshotSaveCommand.FLAGS)
                .flags(SnapshotCommand.KEPT)
                .example("Print a systemd service and timer", "--systemd --every 6h")
                .example(
                        "Print a CronJob",
                        "--cron-job --image registry.example.com/kjadm@sha256:DIGEST --store s3://backups/etcd")
                .build();
    }

    private void print(CommandFlags flags) {
        boolean systemd = flags.isOn(Flag.SYSTEMD);
        if (systemd == flags.isOn(Flag.CRON_JOB)) {
            throw new UsageException(
                    "the kind of schedule is missing", "", "use either --systemd or --cron-job");
        }
        SnapshotStores.check(SnapshotRuns.store(flags));
        SnapshotSaveCommand.Wanted.of(flags);
        SnapshotCommand.retention(flags);
        Interval interval = new Interval(every(flags));
        console.print(systemd ? units(flags, interval) : cronJob(flags, interval));
    }

    private static Duration every(CommandFlags flags) {
        return flags.text(Flag.EVERY)
                .map(text -> GoDuration.parse(text)
                        .orElseThrow(() -> new UsageException(
                                "--every \"%s\" is not a duration".formatted(text),
                                "",
                                "write it as 30m or 6h")))
                .orElse(EVERY);
    }

    private static String units(CommandFlags flags, Interval interval) {
        return new SystemdUnits(interval, program(), save(flags), prune(flags), written(flags))
                .text();
    }

    /** Where this program was unpacked, if it was. */
    private static Path program() {
        Path packed = Path.of(System.getProperty("java.home")).resolveSibling("bin/kjadm");
        return Files.isExecutable(packed) ? packed : PROGRAM;
    }

    private static String cronJob(CommandFlags flags, Interval interval) {
        String image = flags.text(Flag.IMAGE)
                .orElseThrow(() -> new UsageException(
                        "--cron-job requires --image",
                        "kjadm is not published as an image",
                        "specify an image that has kjadm in its search path"));
        return (image.contains("@sha256:") ? "" : BY_TAG)
                + ManifestYaml.write(ManifestYaml.tree(SnapshotCronJob.build(
                        new SnapshotCronJob.Job(
                                image,
                                interval.cron(),
                                started(save(flags)),
                                started(prune(flags)),
                                new SnapshotCronJob.Places(
                                        read(flags),
                                        readFolders(flags),
                                        written(flags),
                                        flags.list(Flag.VERIFY_KEY).stream()
                                                .map(file -> Path.of(absolute(file)))
                                                .toList())))));
    }

    /** Of the node: what it takes to ask etcd, and no other key. */
    private static List<Path> read(CommandFlags flags) {
        KubernetesPaths paths = KubernetesPaths.standard();
        List<Path> signing =
                flags.path(Flag.SIGN_KEY).map(Path::toAbsolutePath).stream().toList();
        if (flags.isOn(Flag.WITH_PKI)) {
            return signing;
        }
        EtcdCertificateFiles certificates = EtcdCertificateFiles.in(
                new DiskFiles(),
                flags.path(Flag.CERT_DIR)
                        .map(Path::toAbsolutePath)
                        .orElse(paths.certificatesDir()));
        List<Path> files = new ArrayList<>(List.of(
                certificates.ca().certificate(),
                certificates.client().certificate(),
                certificates.client().key()));
        files.addAll(signing);
        if (!flags.isSet(Flag.ENDPOINTS)) {
            files.add(paths.manifest(EtcdPod.NAME));
        }
        flags.path(Flag.KUBECONFIG).map(Path::toAbsolutePath).ifPresent(files::add);
        return files;
    }

    /** The keys of the whole cluster are below these, and what tells where more of them are. */
    private static List<Path> readFolders(CommandFlags flags) {
        if (!flags.isOn(Flag.WITH_PKI)) {
            return List.of();
        }
        List<Path> folders = new ArrayList<>(List.of(KubernetesPaths.KUBERNETES_DIR));
        flags.path(Flag.CERT_DIR)
                .map(Path::toAbsolutePath)
                .filter(path -> !path.startsWith(KubernetesPaths.KUBERNETES_DIR))
                .ifPresent(folders::add);
        return folders;
    }

    private static List<String> started(List<String> words) {
        return Stream.concat(Stream.of("kjadm"), words.stream()).toList();
    }

    /** Folders of the node: the store's, if it is one, and where else something is written. */
    private static List<Path> written(CommandFlags flags) {
        List<Path> folders = new ArrayList<>();
        String store = absolute(SnapshotRuns.store(flags));
        if (store.startsWith("/")) {
            folders.add(Path.of(store));
        }
        flags.path(Flag.METRICS_FILE)
                .map(Path::toAbsolutePath)
                .map(Path::getParent)
                .ifPresent(folders::add);
        flags.path(Flag.WORK_DIR).map(Path::toAbsolutePath).ifPresent(folders::add);
        return folders;
    }

    private static String absolute(String store) {
        if (store.startsWith("file://")) {
            return store.substring("file://".length());
        }
        return store.contains("://")
                ? store
                : Path.of(store).toAbsolutePath().normalize().toString();
    }

    private static List<String> save(CommandFlags flags) {
        return words("save", flags, SAVE);
    }

    private static List<String> prune(CommandFlags flags) {
        return words(
                "prune",
                flags,
                Stream.concat(
                                Stream.of(Flag.STORE, Flag.VERIFY_KEY),
                                SnapshotCommand.KEPT.stream().map(FlagOption::flag))
                        .toList());
    }

    private static List<String> words(String verb, CommandFlags flags, List<Flag> passed) {
        List<String> words = new ArrayList<>(List.of("etcd", "snapshot", verb));
        for (Flag flag : passed) {
            if (!flags.isSet(flag)) {
                continue;
            }
            switch (flag.kind()) {
                case SWITCH -> words.add("--%s=%s".formatted(flag, flags.isOn(flag)));
                case LIST ->
                    flags.list(flag)
                            .forEach(value -> words.add("--%s=%s"
                                    .formatted(
                                            flag, PATHS.contains(flag) ? absolute(value) : value)));
                case TEXT, NUMBER, DURATION -> {
                    String value = flags.text(flag).orElse("");
                    words.add("--%s=%s"
                            .formatted(flag, PATHS.contains(flag) ? absolute(value) : value));
                }
            }
        }
        return words;
    }
}
