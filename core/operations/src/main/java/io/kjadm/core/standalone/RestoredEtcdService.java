package io.kjadm.core.standalone;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.UnitWatch;
import io.kjadm.core.etcd.host.EtcdHost;
import io.kjadm.core.etcd.host.EtcdHostPaths;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.CommandRunner.Output;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.machine.Machine;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.restore.RestoredEtcd;
import io.kjadm.core.restore.SnapshotRestore;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.join.StartProblem;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An etcd of its own that gets other data. While that is under way its service is not started at
 * boot, since an etcd without data would found a cluster; its environment is kept, to be put back.
 */
public final class RestoredEtcdService implements RestoredEtcd {

    private static final String AREA = "restore";
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);
    private static final String SERVER = "etcd";
    private static final String CLIENT = "etcdctl";
    /** Came with 3.5, and is the only one that makes data since 3.6. */
    private static final String TOOL = "etcdutl";

    private final Machine machine;
    private final HostFiles files;
    private final EtcdPrograms programs;
    private final SystemdEtcd etcd;
    private final EtcdHostPaths paths;
    private final EtcdRunOptions options;
    private final Reporter out;

    /**
     * @param programs gets a release where programs are missing
     * @param options  where a release comes from
     */
    public RestoredEtcdService(
            SystemdEtcd etcd, EtcdPrograms programs, EtcdRunOptions options, Reporter out) {
        this.machine = etcd.machine();
        this.files = etcd.machine().files();
        this.programs = programs;
        this.etcd = etcd;
        this.paths = etcd.paths();
        this.options = options;
        this.out = out;
    }

    @Override
    public EtcdHost host() {
        return etcd;
    }

    @Override
    public void requireRestorable(LocalEtcdState node) {
        if (!node.manifest() || node.peerUrls().isEmpty()) {
            throw new HostException(
                    "this machine has no etcd that a snapshot could be restored to",
                    node.manifest()
                            ? paths.environment() + " names no peer URL of its member"
                            : "there is no " + paths.environment(),
                    "restore that file, or set this machine's member up again: run kjadm etcd reset, then kjadm etcd init, then the restore");
        }
        etcd.requireFinished();
        if (!machine.services().exists(StandaloneEtcd.UNIT)) {
            throw new HostException(
                    "systemd knows no service %s on this machine".formatted(StandaloneEtcd.UNIT),
                    "its unit is not in " + paths.unit(),
                    "restore it, then run the same command again");
        }
    }

    private Path formerEnvironment() {
        return paths.restoreDir().resolve("etcd.env");
    }

    /** Is there if the service ran. */
    private Path ran() {
        return paths.restoreDir().resolve("ran");
    }

    @Override
    public String byHand() {
        return "copy the etcd.env next to it back to %s by hand, then move that directory away"
                .formatted(paths.environment());
    }

    @Override
    public String stopOthers() {
        return "stop etcd there first, so that no boot brings it back: systemctl disable --now etcd; then run the same command again";
    }

    @Override
    public List<String> cautions(LocalEtcdState node) {
        List<String> lines = new ArrayList<>();
        lines.add(
                raisedBy() > 0
                        ? "Stop the API servers that use this etcd until it serves again. The revision is raised by %d, so that running clients relist"
                                .formatted(raisedBy())
                        : "Stop all API servers that use this etcd until it serves again. The tools of this etcd version cannot raise the revision, so an API server that keeps running would use outdated data");
        return lines;
    }

    /** Since 3.5 the tool can, though not that of its first releases. */
    @Override
    public long raisedBy() {
        Optional<Path> tool = tool();
        boolean raises = tool.isPresent()
                ? machine.runner()
                        .run(command(tool.get(), List.of("--help")), ANSWER_LIMIT)
                        .stdout()
                        .contains("--bump-revision")
                : etcd.record()
                        .filter(known -> known.settings().version().atLeast(3, 5))
                        .isPresent();
        return raises ? SnapshotRestore.BUMP_REVISIONS : 0;
    }

    private static List<String> command(Path tool, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (tool.endsWith(CLIENT)) {
            command.addAll(List.of("env", "ETCDCTL_API=3"));
        }
        command.addAll(List.of(tool.toString(), "snapshot", "restore"));
        command.addAll(arguments);
        return command;
    }

    /** Of the version that runs afterwards. */
    private Optional<Path> tool() {
        Path own = etcd.installDir().resolve(TOOL);
        if (files.exists(own)) {
            return Optional.of(own);
        }
        return programs.installed(etcd.installDir())
                .filter(version -> !version.atLeast(3, 6))
                .map(_ -> etcd.installDir().resolve(CLIENT));
    }

    /** Programs that are there stay. */
    @Override
    public void prepare() {
        Path install = etcd.installDir();
        Optional<EtcdVersion> installed = programs.installed(install);
        if (installed.isPresent() && tool().isPresent()) {
            return;
        }
        EtcdVersion version = installed
                .or(() -> etcd.record().map(known -> known.settings().version()))
                .orElseThrow(
                        () -> new HostException(
                                "etcd's programs are not in %s, and it is not known which release was there"
                                        .formatted(install),
                                "another program than kjadm has set this machine's member up",
                                "put etcd, etcdctl and etcdutl of that release there, then run the same command again"));
        EtcdPrograms.Release release = programs.unpack(version, install, options, out);
        for (String name : List.of(CLIENT, TOOL, SERVER)) {
            if (installed.isEmpty() || !files.exists(install.resolve(name))) {
                release.program(name)
                        .ifPresent(content ->
                                files.write(install.resolve(name), content, FileMode.EXECUTABLE));
            }
        }
        out.step(
                AREA,
                "Installed the missing programs of etcd %s in %s".formatted(version, install));
    }

    @Override
    public void stop() {
        keepFormer();
        out.step(AREA, "Stopping service etcd of this machine");
        halt();
    }

    /** No other program sets it up here. */
    @Override
    public boolean runsAgain() {
        return false;
    }

    /** The service first: one that is held and still enabled would be missing after a boot. */
    @Override
    public void halt() {
        etcd.end();
        etcd.hold(etcd.restoreJournal());
    }

    private void keepFormer() {
        if (files.exists(formerEnvironment())) {
            return;
        }
        if (etcd.active()) {
            files.write(ran(), "", FileMode.OWNER_ONLY);
        }
        files.write(formerEnvironment(), etcd.environment(), FileMode.OWNER_ONLY);
    }

    @Override
    public void make(Making making) {
        Path tool = tool().orElseThrow(() -> new HostException(
                "there is no etcdutl in " + etcd.installDir(),
                "it restores the snapshot",
                "restore it, then run the same command again"));
        files.deleteTree(making.target());
        files.createOwnDirectory(making.folder());
        // one that was left behind by a kill may still write to its own
        Path attempt = making.folder().resolve("data-" + machine.waiter().now().toEpochMilli());
        files.deleteTree(attempt);
        String name = tool.getFileName().toString();
        out.step(AREA, "Restoring %s with %s".formatted(making.source().title(), tool));
        Output output = out.during(
                AREA,
                "Restoring etcd's data",
                () -> machine.runner()
                        .run(
                                command(tool, arguments(making, attempt)),
                                SnapshotRestore.MAKING_LIMIT));
        if (!output.ok()) {
            // a full disk would be as full for the next run
            files.deleteTree(attempt);
            throw new ClusterException(
                    "%s could not restore the snapshot: it exited with status %d"
                            .formatted(name, output.exitStatus()),
                    lastWords(output),
                    "fix the cause and run the same command again, or undo the restore with --undo");
        }
        files.ownTree(attempt, files.owner(making.dataDir()));
        files.rename(attempt, making.target());
    }

    private List<String> arguments(Making making, Path attempt) {
        List<String> arguments = new ArrayList<>(List.of(
                making.snapshot().toString(),
                "--data-dir=" + attempt,
                "--name=" + making.member().name(),
                "--initial-cluster=" + making.member().text(),
                "--initial-advertise-peer-urls=" + making.member().url(),
                "--initial-cluster-token=" + making.token()));
        if (making.raise() > 0) {
            arguments.add("--bump-revision=" + making.raise());
            arguments.add("--mark-compacted");
        }
        if (!making.source().summed()) {
            arguments.add("--skip-hash-check");
        }
        return arguments;
    }

    private static String lastWords(Output output) {
        return (output.stderr() + "\n" + output.stdout())
                .lines()
                .filter(Predicate.not(String::isBlank))
                .reduce((first, second) -> output.stderr().contains(second) ? second : first)
                .orElse("without a word");
    }

    @Override
    public Supplier<Optional<StartProblem>> start(NameAndUrl member, String token) {
        write(new EtcdEnvironment(etcd.environment()).alone(member, token));
        UnitWatch watch = etcd.watch();
        watch.stopped();
        etcd.release();
        etcd.enable();
        etcd.begin();
        return () -> etcd.startProblem(watch);
    }

    private void write(String environment) {
        if (files.read(paths.environment()).filter(environment::equals).isEmpty()) {
            files.write(paths.environment(), environment, FileMode.WORLD_READABLE);
        }
    }

    /** Nothing but it runs here; what API servers are to be told names members that are gone. */
    @Override
    public void startOthers() {
        if (!files.exists(paths.externalEtcd())) {
            return;
        }
        try {
            ExternalEtcdFile former = ExternalEtcdFile.read(files, paths.externalEtcd());
            List<URI> own = reachedAt(etcd.state());
            if (!own.isEmpty() && !former.endpoints().equals(own)) {
                new ExternalEtcdFile(own, former.caPem(), former.certPem(), former.keyPem())
                        .write(files, paths.externalEtcd());
                out.step(AREA, "%s names this member only".formatted(paths.externalEtcd()));
            }
        } catch (UsageException e) {
            out.warn("%s is as it was: %s".formatted(paths.externalEtcd(), e.getMessage()));
        }
    }

    private static List<URI> reachedAt(LocalEtcdState node) {
        return node.ownClientUrls().stream()
                .filter(Predicate.not(EtcdUrls::loopback))
                .sorted()
                .toList();
    }

    @Override
    public void awaitOthers() {
        // nothing but it runs here
    }

    @Override
    public void withdraw() {
        if (files.exists(formerEnvironment())) {
            halt();
        }
    }

    @Override
    public void putBack() {
        files.read(formerEnvironment()).ifPresent(text -> {
            write(text);
            etcd.release();
            etcd.enable();
            if (files.exists(ran())) {
                etcd.begin();
            }
        });
    }

    @Override
    public String asBefore() {
        return "The data and etcd's environment are as they were before";
    }

    @Override
    public void discard() {
        Path directory = paths.restoreDir();
        files.list(directory).stream()
                .filter(Predicate.not(etcd.restoreJournal()::equals))
                .toList()
                .forEach(files::delete);
        files.delete(etcd.restoreJournal());
        files.delete(directory);
    }

    @Override
    public String othersJoin(LocalEtcdState node) {
        String url = reachedAt(node).stream().findFirst().map(URI::toString).orElse("URL");
        return "The other machines must join again, one after the other. On each: 'kjadm etcd reset --endpoints %s', then 'kjadm etcd join %s%s'; 'kjadm etcd status' must show all members healthy before the next one"
                .formatted(
                        url,
                        url,
                        programs.installed(etcd.installDir())
                                .map(version -> " --version " + version)
                                .orElse(""));
    }
}
