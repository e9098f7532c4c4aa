package io.kjadm.core.simulation;

import io.kjadm.core.etcd.DataDirReader;
import io.kjadm.core.etcd.MemberMarker;
import io.kjadm.core.etcd.leave.EndedJournals;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.SnapshotBytes;
import io.kjadm.etcd.check.WalFile;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A machine with files, a disk for etcd's data, a clock, and a kubelet. */
final class RestoreMachine {

    static final KubernetesPaths PATHS = KubernetesPaths.standard();
    static final Path DATA_DIR = Path.of("/var/lib/etcd");
    static final Path MEMBER = DATA_DIR.resolve("member");
    /** Where the disk is while it is not mounted, and what lies below its mount point. */
    private static final Path DISK = Path.of("/disk");

    private static final Path BELOW = Path.of("/below");
    static final List<String> COMPONENTS =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
    /** The entry of the log that every cluster begins with. */
    static final long INDEX = 10;

    static final String OLD = "c1";
    private static final Map<List<Object>, byte[]> DATABASES = new ConcurrentHashMap<>();

    /** With what every look of production at it reads, and no more. */
    private static final String ETCD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: etcd, namespace: kube-system}
            spec:
              containers:
              - command:
                - etcd
                - --advertise-client-urls=%1$s
                - --initial-advertise-peer-urls=%2$s
                - --initial-cluster=%3$s
                - --listen-client-urls=http://127.0.0.1:2379,%1$s
                - --name=%4$s
                image: registry.k8s.io/etcd:3.6.8-0
                name: etcd
                volumeMounts: [{mountPath: /var/lib/etcd, name: etcd-data}]
              volumes: [{hostPath: {path: /var/lib/etcd}, name: etcd-data}]
            """;

    private static final String OTHER = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %1$s, namespace: kube-system}
            spec: {containers: [{name: %1$s, image: "registry.k8s.io/%1$s:v1.36.2", command: [%1$s, --advertise-address=%2$s, "--etcd-servers=http://127.0.0.1:2379"]}]}
            """;

    final int number;
    final String name;
    final MemoryFiles files = new MemoryFiles();
    final RestoreKubelet kubelet = new RestoreKubelet(this);

    boolean powered = true;
    /** Counts the boots; a program does not outlive one. */
    int boots;

    boolean kubeletEnabled = true;
    boolean kubeletRuns = true;
    boolean mounted = true;
    final boolean ownDisk;
    /** By how much its clock is wrong. */
    long clockMillis;
    /** What the last refusal told of its member, which was all that was seen of the others. */
    Optional<Led> refusedFor = Optional.empty();
    /** When it last became a member, in true time. */
    Instant joined = Instant.EPOCH;

    /** How often something on the disk was changed, by programs. */
    long changes;
    /** At which change something happens to the next command. */
    long killAt = Long.MAX_VALUE;

    long powerCutAt = Long.MAX_VALUE;
    /** The program that runs on it; there is a lock for one. */
    Optional<RestoreRun> runs = Optional.empty();

    /** What the data of members tell that are or were on this machine. */
    private final Map<MemberIds, Stored> known = new HashMap<>();

    /** What etcd serves while it runs. */
    Optional<Serving> etcd = Optional.empty();

    private record Stored(List<Member> members, long index) {}

    /** A leader that its member knew, in true time and by its clock. */
    record Led(Instant at, long clockMillis) {

        /** Where the clock has jumped since, it is not known how long ago that was. */
        boolean counts(RestoreMachine host, Instant world, Duration limit) {
            return clockMillis == host.clockMillis && at.plus(limit).isAfter(world);
        }
    }

    /** An etcd that runs: who it is, and whom it knows. */
    static final class Serving {
        final MemberIds ids;
        List<Member> members;
        long index;
        /** Of the leader that it follows; for some seconds after that has gone. */
        MemberId leader = MemberId.NONE;

        long ledAt = Long.MIN_VALUE / 2;
        /** Whether it has a leader now, so that it serves clients. */
        boolean led;

        Serving(MemberIds ids, List<Member> members, long index) {
            this.ids = ids;
            this.members = members;
            this.index = index;
        }

        List<Member> voters() {
            return members.stream().filter(Member::voter).toList();
        }
    }

    RestoreMachine(int number, boolean ownDisk, List<Member> cluster) {
        this.number = number;
        this.name = name(number);
        this.ownDisk = ownDisk;
        Credentials.onto(files);
        files.with(
                PATHS.kubeletConfig().toString(), "containerRuntimeEndpoint: unix:///run/c.sock\n");
        boolean member = number <= cluster.size();
        if (member) {
            install(cluster);
        }
        files.with("/proc/sys/kernel/hostname", name + "\n")
                .with("/etc/machine-id", "%032d\n".formatted(number))
                .with("/proc/1/stat", "1 (init) S" + " 0".repeat(20));
        if (ownDisk) {
            files.withMount(DATA_DIR.toString());
        }
        boot();
        if (member) {
            store(new MemberIds(OLD, cluster.get(number - 1).id()), cluster, INDEX);
            MemberMarker.adopt(files, DATA_DIR, Instant.EPOCH);
        }
        if (member && ownDisk && number % 2 == 1) {
            // the data were on the first disk once, and systemd mounts theirs
            files.with("/etc/fstab", "/dev/vdb %s xfs defaults 0 2\n".formatted(DATA_DIR));
            Path marker = Path.of(MemberMarker.FILE_NAME);
            files.with(
                    BELOW.resolve(marker).toString(),
                    files.text(DATA_DIR.resolve(marker).toString()));
        }
    }

    static String name(int number) {
        return "cp-" + number;
    }

    private static String address(int number) {
        return "192.0.2.%d".formatted(9 + number);
    }

    /** Without TLS: to read certificates would be most of the work. */
    static URI peerUrl(int number) {
        return URI.create("http://%s:2380".formatted(address(number)));
    }

    static URI clientUrl(int number) {
        return URI.create("http://%s:2379".formatted(address(number)));
    }

    /** As {@code init} and {@code join} write them; the founder names itself only. */
    private void install(List<Member> cluster) {
        String all = cluster.stream()
                .filter(member -> number > 1 || member.name().equals(name))
                .map(member -> member.name() + "=" + member.peerUrls().getFirst())
                .collect(Collectors.joining(","));
        for (String component : COMPONENTS) {
            String text = component.equals("etcd")
                    ? ETCD.formatted(
                            clientUrl(number),
                            peerUrl(number),
                            number == 1 ? all : all + "\n    - --initial-cluster-state=existing",
                            name)
                    : OTHER.formatted(component, address(number));
            files.write(PATHS.manifest(component), text, FileMode.OWNER_ONLY);
        }
    }

    /** As it is at first. */
    static List<Member> cluster(int machines) {
        return IntStream.rangeClosed(1, machines)
                .mapToObj(number -> member(number, new MemberId(number)))
                .toList();
    }

    static Member member(int number, MemberId id) {
        return new Member(
                id, name(number), List.of(peerUrl(number)), List.of(clientUrl(number)), false);
    }

    // ---- data

    /** Writes the data of a member. */
    void store(MemberIds ids, List<Member> members, long index) {
        write(MEMBER, ids, members, index);
        kubelet.changed();
    }

    /** The same at another place. */
    void write(Path member, MemberIds ids, List<Member> members, long index) {
        known.put(ids, new Stored(List.copyOf(members), index));
        files.write(member.resolve("wal/0.wal"), WalFile.of(ids), FileMode.OWNER_ONLY);
        files.write(member.resolve("snap/db"), database(members, index), FileMode.OWNER_ONLY);
    }

    static byte[] database(List<Member> members, long index) {
        return DATABASES.computeIfAbsent(
                List.of(members, index), _ -> SnapshotBytes.listing(members, index));
    }

    /** Its etcd serves the data that are in place. */
    void load() {
        etcd = new DataDirReader(files).idsIn(MEMBER).map(this::load);
    }

    private Serving load(MemberIds ids) {
        Stored stored = known.get(ids);
        return new Serving(ids, stored.members(), stored.index());
    }

    /** A running member learns what the cluster has decided. */
    void apply(Serving from) {
        Serving own = etcd.orElseThrow();
        if (own.index < from.index) {
            own.index = from.index;
            own.members = from.members;
            store(own.ids, own.members, own.index);
        }
    }

    /** The members that the data in place list. */
    Set<String> lists() {
        return new DataDirReader(files)
                .idsIn(MEMBER).map(known::get).stream()
                        .flatMap(stored -> stored.members().stream())
                        .map(Member::name)
                        .collect(Collectors.toSet());
    }

    /** Whether the data of that member are anywhere on its disks. */
    boolean holds(MemberId member) {
        DataDirReader reader = new DataDirReader(files);
        return files.files().stream()
                .filter(path -> path.endsWith("wal/0.wal"))
                .map(path -> path.getParent().getParent())
                .flatMap(place -> reader.idsIn(place).stream())
                .anyMatch(ids -> ids.memberId().equals(member));
    }

    /** Those that it serves were changed. */
    void changedMembers() {
        Serving own = etcd.orElseThrow();
        store(own.ids, own.members, own.index);
    }

    /** {@code kjadm reset --force}: no data of the member and no manifests are left. */
    void leave(Instant world) {
        stopEtcd();
        refusedFor = Optional.empty();
        EndedJournals.end(files, time(world), new QuietReporter(_ -> {}));
        files.list(PATHS.manifest("etcd").getParent()).forEach(files::delete);
        files.deleteTree(MEMBER);
        files.delete(DATA_DIR.resolve(MemberMarker.FILE_NAME));
        startKubelet();
    }

    /** {@code kjadm join}, which has ended well. */
    void join(MemberIds own, List<Member> members, long index) {
        install(members);
        store(own, members, index);
        MemberMarker.adopt(files, DATA_DIR, kubelet.clock());
    }

    // ---- power and disks

    void cutPower() {
        powered = false;
        kubeletRuns = false;
        etcd = Optional.empty();
        kubelet.cutPower();
    }

    void boot() {
        powered = true;
        boots++;
        kubeletRuns = kubeletEnabled;
        files.with("/proc/sys/kernel/random/boot_id", "%08d-%d\n".formatted(number, boots));
        tellMounts();
        kubelet.changed();
    }

    private void tellMounts() {
        files.with(
                "/proc/self/mounts",
                "/dev/vda / ext4 rw 0 0\n"
                        + (ownDisk && mounted
                                ? "/dev/vdb %s xfs rw 0 0\n".formatted(DATA_DIR)
                                : ""));
    }

    /** What is below the mount point is seen. */
    void unmount() {
        if (ownDisk && mounted) {
            mounted = false;
            move(DATA_DIR, DISK);
            move(BELOW, DATA_DIR);
            files.withDirectory(DATA_DIR.toString());
            tellMounts();
        }
    }

    void mount() {
        if (ownDisk && !mounted) {
            mounted = true;
            move(DATA_DIR, BELOW);
            move(DISK, DATA_DIR);
            tellMounts();
        }
    }

    private void move(Path from, Path to) {
        Map<Path, byte[]> contents = new LinkedHashMap<>();
        files.files().stream()
                .filter(path -> path.startsWith(from))
                .forEach(path -> contents.put(
                        to.resolve(from.relativize(path)), files.readBytes(path).orElseThrow()));
        files.deleteTree(from);
        contents.forEach((path, content) -> files.write(path, content, FileMode.OWNER_ONLY));
    }

    /** The marker stays: a new file system would have none. */
    void loseData() {
        files.deleteTree(MEMBER);
        files.deleteTree(DISK.resolve("member"));
        stopEtcd();
    }

    void shutOff() {
        kubeletEnabled = false;
        kubeletRuns = false;
        List.of("etcd", "kube-apiserver").forEach(kubelet::end);
        etcd = Optional.empty();
    }

    void startKubelet() {
        kubeletEnabled = true;
        kubeletRuns = true;
        kubelet.changed();
    }

    private void stopEtcd() {
        kubelet.end("etcd");
        etcd = Optional.empty();
        kubelet.changed();
    }

    /** Its clock. */
    Instant time(Instant world) {
        return world.plus(Duration.ofMillis(clockMillis));
    }
}
