package io.kjadm.core.standalone;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.MemberFile;
import io.kjadm.core.etcd.host.MemberSettings;
import io.kjadm.core.etcd.host.StandaloneEtcdState;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.etcd.version.ComponentJudge;
import io.kjadm.core.etcd.version.EtcdInstallation;
import io.kjadm.core.etcd.version.EtcdOrder;
import io.kjadm.core.etcd.version.NodeChanges;
import io.kjadm.core.etcd.version.StartDeadline;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.journal.Operation;
import io.kjadm.core.lock.MembershipLock;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter.Attempt;
import io.kjadm.core.phase.Waiter.Await;
import io.kjadm.etcd.EtcdAccess;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The member of an etcd of its own as something that gets another version: its programs are
 * exchanged, each by a rename, its environment is written for them, and the service is started anew.
 */
public final class EtcdService implements EtcdInstallation {

    private static final String AREA = "etcd";
    private static final String JOURNAL = "etcd ";
    /** Noted once the service was started with what was exchanged. */
    private static final String STARTED = "etcd-started";

    private static final List<String> CLIENTS = List.of("etcdctl", "etcdutl");
    /** Goes last: where it is the new one everything is. */
    private static final String SERVER = "etcd";

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final String NEXT =
            "see 'journalctl -u etcd' and 'systemctl status etcd', then run the same command again";

    private final Machine machine;
    private final EtcdClients clients;
    private final EtcdPrograms programs;
    private final MembershipLock lock;
    private final SystemdEtcd etcd;
    private final EtcdHostPaths paths;
    private final EtcdRunOptions options;
    private final Reporter out;
    private final Failpoints failpoints;
    private Optional<Fetched> fetched = Optional.empty();
    private Optional<NodeChanges> begun = Optional.empty();

    /**
     * @param programs gets a release
     * @param lock     keeps other machines away
     * @param options  where a release comes from
     */
    public EtcdService(
            SystemdEtcd etcd,
            EtcdClients clients,
            EtcdPrograms programs,
            MembershipLock lock,
            EtcdRunOptions options,
            Failpoints failpoints,
            Reporter out) {
        this.machine = etcd.machine();
        this.clients = clients;
        this.programs = programs;
        this.lock = lock;
        this.etcd = etcd;
        this.paths = etcd.paths();
        this.options = options;
        this.failpoints = failpoints;
        this.out = out;
    }

    /** What it is exchanged for. */
    private record Fetched(EtcdVersion version, EtcdPrograms.Release release) {}

    @Override
    public String name() {
        return etcd.state().name().orElse("");
    }

    @Override
    public EtcdHost host() {
        return etcd;
    }

    @Override
    public EtcdAccess access() {
        return clients.access(etcd.state(), Optional.empty(), out);
    }

    @Override
    public EtcdCluster connect() {
        return clients.connect(access());
    }

    @Override
    public MembershipLock lock() {
        return lock;
    }

    @Override
    public Path snapshotDir() {
        return paths.upgradeDir();
    }

    /** For which the environment was written; programs may have been exchanged by hand. */
    @Override
    public EtcdVersion version() {
        etcd.configuredState();
        return etcd.record()
                .map(known -> known.settings().version())
                .or(() -> programs.installed(etcd.installDir()))
                .orElseThrow(() -> new HostException(
                        "the version of this machine's etcd is not known",
                        "%s does not report it".formatted(etcd.installDir().resolve(SERVER)),
                        "restore the etcd programs there"));
    }

    @Override
    public String release(EtcdOrder order) {
        return "etcd %s in %s".formatted(order.target(), etcd.installDir());
    }

    @Override
    public boolean has(EtcdOrder order, Optional<EtcdVersion> running) {
        Optional<EtcdVersion> target = Optional.of(order.target());
        return target.equals(running)
                && target.equals(programs.installed(etcd.installDir()))
                && version().equals(order.target());
    }

    @Override
    public EtcdFlags flags(EtcdVersion target) {
        return environmentBefore().flags(versionBefore(), target);
    }

    /**
     * The environment before the first run of this change: an interrupted run may have written that
     * of the target, or the record of its version, and not both.
     */
    private EtcdEnvironment environmentBefore() {
        return begun.flatMap(changes -> changes.former(paths.environment()))
                .map(EtcdEnvironment::new)
                .orElseGet(() -> new EtcdEnvironment(etcd.environment()));
    }

    /** The version that {@link #environmentBefore} is for. */
    private EtcdVersion versionBefore() {
        return begun.flatMap(this::former).orElseGet(this::version);
    }

    @Override
    public String text(EtcdOrder order, List<NameAndUrl> members) {
        return environmentBefore().with(flags(order.target()), members);
    }

    @Override
    public void fetch(EtcdOrder order) {
        fetched = Optional.of(new Fetched(order.target(), release(order.target())));
    }

    /** Programs that were replaced by hand stay, unless an archive was named. */
    private EtcdPrograms.Release release(EtcdVersion target) {
        if (options.tarball().isPresent()
                || !programs.installed(etcd.installDir()).equals(Optional.of(target))) {
            return programs.unpack(target, etcd.installDir(), options, out);
        }
        out.step(AREA, "Using etcd %s in %s".formatted(target, etcd.installDir()));
        return _ -> Optional.empty();
    }

    @Override
    public NodeChanges begin(EtcdVersion target) {
        NodeChanges changes = NodeChanges.begin(
                machine.files(),
                new NodeChanges.Place(
                        paths.unfinishedUpgradeDir(),
                        Operation.ETCD_VERSION,
                        this::mode,
                        _ -> etcd.state().dataDir(),
                        failpoints.fuse(machine.waiter())),
                JOURNAL + version(),
                JOURNAL + target,
                machine.waiter().now());
        changes.overtaken().ifPresent(change -> out.warn(change.problem().toString()));
        begun = Optional.of(changes);
        return changes;
    }

    private FileMode mode(Path file) {
        if (file.equals(paths.environment()) || file.equals(paths.unit())) {
            return FileMode.WORLD_READABLE;
        }
        return file.equals(paths.memberFile()) ? FileMode.OWNER_ONLY : FileMode.EXECUTABLE;
    }

    /** Whatever changes this etcd has a journal of its own, and is about another part of it. */
    @Override
    public void requireNoOtherChange() {
        etcd.requireFinished();
        if (machine.files().exists(etcd.restoreJournal())) {
            throw new HostException(
                    "a restore of this machine's data is not finished",
                    "its journal is in " + paths.restoreDir(),
                    "run it again, or undo it (kjadm etcd snapshot restore --undo)");
        }
    }

    @Override
    public Optional<String> exchanged(EtcdVersion target, NodeChanges changes) {
        return changes.changedSteps().contains(STEP)
                        && programs.installed(etcd.installDir())
                                .filter(target::equals)
                                .isPresent()
                ? machine.files().read(paths.environment())
                : Optional.empty();
    }

    @Override
    public Optional<EtcdVersion> former(NodeChanges changes) {
        return Optional.of(EtcdVersion.parse(changes.from().substring(JOURNAL.length())));
    }

    @Override
    public void exchange(NodeChanges changes, String text, ComponentJudge judge) {
        List<Path> written = write(changes, text);
        UnitWatch watch = etcd.watch();
        if (!written.isEmpty() || !changes.isDone(STARTED)) {
            report(written);
            etcd.stop();
            watch.stopped();
            etcd.begin();
            changes.done(STARTED);
        } else if (!etcd.active()) {
            etcd.begin();
        }
        await(judge, watch);
        out.step(AREA, "etcd works");
    }

    private void report(List<Path> written) {
        if (written.stream().anyMatch(file -> file.startsWith(etcd.installDir()))) {
            out.step(AREA, "Replaced the etcd programs in %s".formatted(etcd.installDir()));
        } else if (!written.isEmpty()) {
            out.step(
                    AREA,
                    "Wrote "
                            + written.stream()
                                    .map(Path::toString)
                                    .collect(Collectors.joining(", ")));
        }
    }

    /** Writes what differs, and returns it. */
    private List<Path> write(NodeChanges changes, String text) {
        if (fetched.isEmpty()) {
            return List.of();
        }
        EtcdVersion version = fetched.get().version();
        List<Path> written = new ArrayList<>();
        for (String client : CLIENTS) {
            writeProgram(changes, client, written);
        }
        write(
                changes,
                paths.memberFile(),
                etcd.record().map(known -> MemberFile.text(known.of(version))),
                written);
        write(
                changes,
                paths.unit(),
                etcd.record()
                        .flatMap(known -> new FormerUnit(machine.files(), paths, out)
                                .replacement(
                                        known.settings(), StandaloneEtcdState.variables(text))),
                written);
        write(changes, paths.environment(), Optional.of(text), written);
        writeProgram(changes, SERVER, written);
        return written;
    }

    private void write(NodeChanges changes, Path file, Optional<String> text, List<Path> written) {
        if (text.isPresent() && changes.write(STEP, file, text.get(), mode(file))) {
            written.add(file);
        }
    }

    private void writeProgram(NodeChanges changes, String name, List<Path> written) {
        Path file = etcd.installDir().resolve(name);
        Optional<byte[]> program = fetched.get().release().program(name);
        if (program.isPresent() && changes.write(STEP, file, program.get(), mode(file))) {
            written.add(file);
        }
    }

    @Override
    public void restore(NodeChanges changes, ComponentJudge judge) {
        etcd.stop();
        changes.restore(STEP);
        out.step(AREA, "Restored etcd's previous programs and environment");
        UnitWatch watch = etcd.watch();
        watch.stopped();
        etcd.begin();
        await(judge, watch);
    }

    @Override
    public void goForward(NodeChanges changes) {
        if (changes.redo(STEP)) {
            etcd.stop();
            etcd.begin();
        } else if (!etcd.active()) {
            etcd.begin();
        }
    }

    private void await(ComponentJudge judge, UnitWatch watch) {
        StartDeadline deadline = new StartDeadline(judge, machine.waiter(), LIMIT, NEXT);
        machine.waiter()
                .until(
                        new Await(
                                AREA,
                                "etcd on this machine to work",
                                StartDeadline.LONGEST,
                                LIMIT,
                                INTERVAL,
                                NEXT),
                        () -> look(judge, deadline, watch));
    }

    private Attempt<Boolean> look(ComponentJudge judge, StartDeadline deadline, UnitWatch watch) {
        String problem = judge.problem();
        if (problem.isEmpty()) {
            return Attempt.done(true);
        }
        Optional<StartProblem> cause = etcd.startProblem(watch);
        if (cause.isPresent()) {
            throw new ClusterException(cause.get().problem());
        }
        deadline.requireTime("etcd", problem);
        return Attempt.notYet(problem);
    }

    @Override
    public void awaitUsers() {
        // whoever uses this etcd asks all of its members
    }

    @Override
    public void store(EtcdOrder order) {
        out.step(
                AREA,
                "Use the same version for machines that join: kjadm etcd join --version "
                        + order.target());
    }

    /**
     * The unit that a machine has since an earlier release set it up: without the limits of what etcd
     * may do. It is replaced only if it is to the letter what that release wrote.
     */
    private record FormerUnit(HostFiles files, EtcdHostPaths paths, Reporter out) {

        /** Flags that let etcd write outside its data directory, which the new unit forbids. */
        private static Stream<String> elsewhere() {
            return Stream.of("WAL_DIR", "LOG_OUTPUTS");
        }

        /**
         * What is to be in its place; empty if it stays, and why is told.
         *
         * @param flags of etcd's environment
         */
        Optional<String> replacement(MemberSettings settings, Map<String, String> flags) {
            Optional<String> unit = files.read(paths.unit());
            String wanted = StandaloneEtcd.unit(
                    paths.environment(), settings.directories(), settings.unitSettings());
            if (unit.isEmpty() || unit.get().equals(wanted)) {
                return Optional.empty();
            }
            Optional<String> why = unit.get()
                            .equals(StandaloneEtcd.formerUnit(
                                    paths.environment(),
                                    settings.directories(),
                                    settings.unitSettings()))
                    ? elsewhere()
                            .filter(flags::containsKey)
                            .findFirst()
                            .map(flag -> "ETCD_%s lets etcd write outside its data directory"
                                    .formatted(flag))
                    : Optional.of("it was changed by hand");
            why.ifPresent(reason -> out.step(
                    "etcd",
                    "%s stays as it is, without the limits that this version writes: %s"
                            .formatted(paths.unit(), reason)));
            return why.isPresent() ? Optional.empty() : Optional.of(wanted);
        }
    }
}
