package io.kjadm.core.auto;

import io.kjadm.core.auto.AutoLoop.Context;
import io.kjadm.core.auto.EntryJson.Reading;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.OverlayFiles;
import io.kjadm.core.lock.Scheduler;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.SilentReporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.snapshot.sign.SigningKey;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.auto.AutoDecider;
import io.kjadm.etcd.auto.AutoDecider.Outcome;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.ClusterSpec;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.Entry;
import io.kjadm.etcd.auto.EntryBody;
import io.kjadm.etcd.auto.MachineId;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreUrl;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;

/** The daemon of the automatic mode as {@code etcd auto} puts it together, for the simulation. */
public final class AutoStage {

    private static final Path DIRECTORY = Path.of("/var/lib/kjadm/etcd-auto");

    private AutoStage() {}

    /** What a daemon runs on. */
    public record Parts(
            ObjectStore store,
            AutoToken token,
            Reports reports,
            HostFiles files,
            Waiter waiter,
            Scheduler background,
            Reporter out,
            Random random,
            String hostname,
            String boot) {}

    /** Reports as objects of the store. Each object is read once, however many machines do so. */
    public static final class Reports extends ReportJson {

        private record Key(String key, ByteBuffer bytes) {}

        private final Map<Key, Optional<MachineReport>> known = new HashMap<>();

        public Reports(AutoToken token) {
            super(token);
        }

        @Override
        public Optional<MachineReport> read(String key, byte[] bytes) {
            return known.computeIfAbsent(
                    new Key(key, ByteBuffer.wrap(bytes)), _ -> super.read(key, bytes));
        }
    }

    /**
     * One run of it.
     *
     * @param run whether another machine has its ID
     */
    public record Daemon(AutoLog log, AutoMemory memory, Disk disk, OwnRun run, AutoLoop loop) {}

    /** The disk of a machine's member, and what is on it. */
    public static final class Disk {

        private final OwnDisk disk;
        private final OwnData data;

        private Disk(HostFiles files, AutoMemory memory, Random random) {
            this.disk = new OwnDisk(files, NOTE, random);
            this.data = new OwnData(memory, disk, files, () -> KubernetesPaths.ETCD_DATA_DIR);
        }

        /** As {@link OwnData#look}. */
        public Data look(
                Charter charter,
                OwnData.Begun begun,
                boolean runs,
                Optional<MachineReport> reported) {
            return data.look(charter, begun, runs, reported);
        }

        /** As {@link MachineView#begins}. */
        public void begins(Charter charter, Instant now) {
            data.begins(charter, now);
        }

        /** As {@link MachineView#seen}. */
        public void seen(AutoFacts facts, Instant now) {
            data.seen(facts, now);
        }

        /** As {@link MachineView#floor}. */
        public Floor floor() {
            return disk.floor();
        }
    }

    /** Where a machine notes what it knows of its disk. */
    public static final Path NOTE = DIRECTORY.resolve("disk.json");

    /** How far the data of a member were by that note; 0 if it is of another member. */
    public static long noted(HostFiles files, MemberId member) {
        return new OwnDisk(files, NOTE, new Random(0))
                .note()
                .filter(note -> note.ids()
                        .map(MemberIds::memberId)
                        .filter(member::equals)
                        .isPresent())
                .map(note -> note.floor().index())
                .orElse(0L);
    }

    /** A cluster file, and the token that belongs to it. */
    public record Seeded(byte[] file, AutoToken token) {}

    /**
     * A cluster that wants so many voters.
     *
     * @param adopts    its ID if it runs already
     * @param operators whose signature counts; if empty, the token suffices
     */
    public static Seeded seed(
            ClusterSpec spec, Optional<String> adopts, List<String> operators, Random random) {
        byte[] file = new ClusterFile(
                        "%032x".formatted(random.nextInt(Integer.MAX_VALUE)),
                        "etcd1",
                        Instant.EPOCH,
                        "s3://simulated/",
                        spec,
                        adopts,
                        operators)
                .bytes();
        return new Seeded(file, AutoToken.of(file, random));
    }

    /**
     * Starts a daemon.
     *
     * @param decider as {@link AutoDecider#decide}
     */
    public static Daemon daemon(
            Parts parts, MachineView view, AutoSteps steps, Function<AutoFacts, Outcome> decider) {
        AutoMemory memory = AutoMemory.of(parts.files(), DIRECTORY);
        memory.start(parts.random());
        MachineReports reports = new MachineReports(
                parts.store(), parts.reports(), memory.machine(), parts.waiter());
        AutoLog log = new AutoLog(
                        parts.store(),
                        parts.token(),
                        memory,
                        reports,
                        parts.waiter(),
                        parts.random())
                .remember();
        OwnReport report = new OwnReport(
                log.reports(),
                memory,
                new OwnReport.Names(parts.hostname(), "kjadm 0.1.0"),
                parts.waiter());
        AutoLoop loop = new AutoLoop(
                log,
                log.reports(),
                report,
                view,
                steps,
                new Context(parts.waiter(), parts.background(), parts.out()),
                decider);
        OwnRun run = new OwnRun(log.reports(), memory, parts.boot(), parts.waiter());
        Disk disk = new Disk(parts.files(), memory, parts.random());
        return new Daemon(log, memory, disk, run, loop);
    }

    /** What is checked before etcd starts on a machine, as {@code etcd auto check} does it. */
    public static Optional<Wait> startRefusal(
            ObjectStore store, AutoToken token, HostFiles files, Waiter waiter) {
        AutoMemory memory = AutoMemory.of(new OverlayFiles(files, new SilentReporter()), DIRECTORY);
        if (memory.machine().isEmpty()) {
            return Optional.empty();
        }
        Random random = new Random(0);
        StartCheck check = new StartCheck(memory, token, new OwnDisk(files, NOTE, random), waiter);
        return check.refusal(check.ask(store, random));
    }

    /**
     * A person lets a machine write what is missing of the log.
     *
     * @param newest how far the log was; the person knows which machine has read that
     */
    public static void repairLog(
            ObjectStore store, AutoToken token, HostFiles files, Waiter waiter, long newest) {
        new LogRepair(store, token, AutoMemory.of(files, DIRECTORY), waiter)
                .repair(new LogRepair.Person() {
                    @Override
                    public void confirmEmptied(StoreUrl url) {
                        // it was
                    }

                    @Override
                    public void confirmNewest(List<String> silent, long slot) {
                        if (slot < newest) {
                            throw new ClusterException("others have read more", "", "");
                        }
                    }
                });
    }

    /** A machine takes the place of the one that its disk is of, as {@code accept-disk --adopt}. */
    public static void adoptDisk(
            ObjectStore store, AutoToken token, HostFiles files, Waiter waiter, URI peerUrl) {
        AutoMemory memory = AutoMemory.of(files, DIRECTORY);
        Random random = new Random(0);
        new DiskAdoption(
                        AutoLog.open(store, token, memory, waiter, random),
                        memory,
                        files,
                        new OwnDisk(files, NOTE, random),
                        KubernetesPaths.ETCD_DATA_DIR)
                .adopt(peerUrl);
    }

    /** Which machine that is; empty before its first start. */
    public static Optional<MachineId> machine(HostFiles files) {
        return AutoMemory.of(files, DIRECTORY).machine();
    }

    /** Where a machine's report is. */
    public static String report(MachineId machine) {
        return AutoObjects.report(machine);
    }

    /** Notes what a machine has stopped. */
    public static void fenced(AutoMemory memory, EntryBody.Fenced fenced) {
        memory.keepFenced(fenced);
    }

    /** A machine has put back the member that it had stopped. */
    public static void unfenced(AutoMemory memory, int generation) {
        memory.forgetFenced(generation);
    }

    /** Where the cluster file is. */
    public static String clusterFile() {
        return AutoObjects.CLUSTER;
    }

    /** Where an entry is. */
    public static String slot(long slot) {
        return AutoObjects.entry(slot);
    }

    /** Whether an object is of the log. */
    public static boolean ofLog(String key) {
        return key.startsWith("v1/auto/log/");
    }

    /** Whether an object is a machine's report. */
    public static boolean isReport(String key) {
        return AutoObjects.machine(key).isPresent();
    }

    /** What the objects of a store fold to; those that were folded before are not read again. */
    public static final class Folding {

        private record Step(byte[] object, Charter after) {}

        private final EntryJson json;
        private final Charter seeded;
        private final List<Step> steps = new ArrayList<>();

        public Folding(Seeded cluster) {
            ClusterFile file = ClusterFile.parse(cluster.file());
            this.json = new EntryJson(cluster.token(), file.keys());
            this.seeded = Charter.seeded(file.seed(), AutoObjects.hash(cluster.file()));
        }

        /** Of a store whose objects are replaced, and never changed. */
        public Charter fold(Map<String, byte[]> objects) {
            Charter charter = seeded;
            while (true) {
                int known = (int) charter.tail().slot();
                byte[] object = objects.get(AutoObjects.entry(known + 1L));
                if (object == null) {
                    return charter;
                }
                if (known == steps.size() || steps.get(known).object() != object) {
                    steps.subList(known, steps.size()).clear();
                    steps.add(new Step(object, after(charter, object)));
                }
                charter = steps.get(known).after();
            }
        }

        private Charter after(Charter charter, byte[] object) {
            Optional<Entry> entry = json.read(charter.tail().slot() + 1, object)
                            instanceof Reading.Authentic(var it)
                    ? Optional.of(it)
                    : Optional.empty();
            return charter.after(AutoObjects.hash(object), entry);
        }
    }

    /**
     * What a person with the token writes to the next slot.
     *
     * @param key who signs it
     */
    public static byte[] entry(
            Seeded seeded,
            Charter charter,
            EntryBody body,
            Random random,
            Optional<SigningKey> key) {
        return new EntryJson(seeded.token())
                .write(
                        new Entry(
                                charter.next(),
                                new Entry.Author(
                                        Optional.empty(),
                                        0,
                                        HexFormat.of().toHexDigits(random.nextLong()),
                                        Instant.EPOCH),
                                body,
                                "",
                                ""),
                        key);
    }

    /** What is no entry. */
    public static byte[] junk() {
        return "{}\n{\"mac\":\"\"}\n".getBytes(StandardCharsets.UTF_8);
    }
}
