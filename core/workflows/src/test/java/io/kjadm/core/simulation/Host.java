package io.kjadm.core.simulation;

import io.kjadm.core.etcd.check.WalText;
import io.kjadm.core.host.CommandRunner;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.host.MemoryFiles;
import io.kjadm.core.staticpod.ManifestImages;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.model.Machine;
import io.kjadm.manifests.NameAndUrl;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A machine with files, a kubelet and containers, as production's classes see it. */
final class Host extends Machine {

    static final KubernetesPaths PATHS = KubernetesPaths.standard();
    static final Path DATA = KubernetesPaths.ETCD_DATA_DIR.resolve("member");
    private static final Path LOG = DATA.resolve("wal/0000000000000000-0000000000000000.wal");
    /** Members of the model differ by their index alone. */
    private static final long TERM = 1L << 40;
    /** What the manifests that say no image are of. */
    static final String KUBERNETES = "v1.35.6";

    static final Path ETCD = PATHS.manifest("etcd");
    static final List<String> CLIENTS =
            List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler");
    static final List<String> PODS =
            Stream.concat(Stream.of("etcd"), CLIENTS.stream()).toList();
    private static final Path PROCESS =
            Path.of("/proc/%d/stat".formatted(ProcessHandle.current().pid()));
    /** How long something that has happened just now may not be known. */
    private static final long UNAWARE = 20_000;

    final MemoryFiles files = new MemoryFiles();
    /** The pods that run, etcd's too, and since when. */
    final Map<String, Running> running = new HashMap<>();
    /** Who sees it when etcd stops here. */
    private final Watch watch;

    private boolean kubeletService = true;
    private boolean kubeletWorks = true;
    private long troubledAt = Long.MIN_VALUE / 2;
    private int troubles;
    private int runs;
    long lostAt = Long.MIN_VALUE;
    /** In which a member is born here. */
    long cluster = 0xc1;
    /** Of which the data are. */
    long owner;
    /** How far the log on the disk is. */
    private long written = -1;
    /** Whether another directory is where its data were. */
    boolean unmounted;
    /** What it is called now; its member may have an earlier name. */
    String hostname;
    /** Whether its address was ever another one. */
    private boolean moved;
    /** Where its manifest tells etcd to listen. */
    private Optional<URI> listens = Optional.empty();
    /** By how much its clock is wrong. */
    Duration clockAhead = Duration.ZERO;
    /** Whether its root disk has no space left. */
    boolean full;
    /** How many reasons there are that it does not reach the store. */
    int withoutStore;
    /** How this machine is reset, if it is. */
    Optional<Oracle.Resets> resets = Optional.empty();
    /** How often its files were changed. */
    long changes;

    /** Of which the containers end at once: components with their tags. */
    final Set<String> brokenPods = new HashSet<>();
    /** Whether a run that upgrades it has begun, and not ended for good. */
    boolean upgrading;
    /** Whether it was told that the version put back may not start. */
    BooleanSupplier warned = () -> false;
    /** The tag of etcd's image in the manifests that are not made by an upgrade, if it matters. */
    Optional<String> etcdTag = Optional.empty();
    /** The pods that the manifests are, by component. */
    private final Map<String, String> wanted = new HashMap<>();

    /** A container. */
    record Running(String podUid, long since) {}

    /** What is checked when something on a machine changes. */
    interface Watch {
        void stopped(Host host);

        void doesNotFit(Host host);

        void dataGoes(Host host, Optional<Path> to);
    }

    Host(int number, String name, String address, long pace, Watch watch) {
        super(number, name, address, pace);
        this.hostname = name;
        this.watch = watch;
        Credentials.onto(files);
        files.with("/proc/sys/kernel/random/boot_id", "%08d-0\n".formatted(number))
                .with("/proc/1/stat", "1 (init) S" + " 0".repeat(20));
        files.write(PATHS.kubeletDir().resolve("config.yaml"), "", FileMode.OWNER_ONLY);
    }

    // ---- what the model sees

    @Override
    protected void born(MemberId id) {
        super.born(id);
        owner = cluster;
        files.write(LOG, WalText.of(id.value(), owner), FileMode.OWNER_ONLY);
    }

    /** What etcd writes while it runs, for who reads it afterwards. */
    void writeLog(long index) {
        if (index != written || !files.exists(LOG)) {
            files.write(
                    LOG,
                    WalText.of(data.orElseThrow().value(), owner, TERM, index),
                    FileMode.OWNER_ONLY);
            written = index;
        }
    }

    @Override
    protected void kubeletLooks(long now) {
        for (String component : CLIENTS) {
            String uid = wanted.get(component);
            Running runs = running.get(component);
            if (runs != null && !runs.podUid().equals(uid)) {
                // the next one comes when this one has gone
                running.remove(component);
            } else if (runs == null && uid != null && !brokenPods.contains(tagged(component))) {
                running.put(component, new Running(uid, now));
            }
        }
    }

    private String tagged(String component) {
        return component + ":" + tag(component).orElse("");
    }

    /** Of a component's image in its manifest, if that says one. */
    Optional<String> tag(String component) {
        return files.read(PATHS.manifest(component))
                .flatMap(ManifestImages::of)
                .map(image -> image.substring(image.lastIndexOf(':') + 1));
    }

    @Override
    protected void started(long now) {
        running.put("etcd", new Running(wanted.getOrDefault("etcd", ""), now));
    }

    @Override
    protected void doesNotFit() {
        watch.doesNotFit(this);
    }

    @Override
    protected boolean outdated() {
        return !running.get("etcd").podUid().equals(wanted.get("etcd"));
    }

    @Override
    public void down(long now) {
        boolean ran = up;
        super.down(now);
        running.remove("etcd");
        if (ran && !stopped) {
            watch.stopped(this);
        }
    }

    // ---- what befalls it

    /** Something is wrong with this machine from now on. */
    void trouble(long now) {
        troubles++;
        troubledAt = now;
    }

    /** It is over. */
    void recovers(long now) {
        troubles--;
        troubledAt = now;
    }

    /** Whether nothing is wrong with it, and has not been for a while. */
    boolean untroubled(long now) {
        return troubles == 0 && now - troubledAt > UNAWARE;
    }

    /** Whether something went wrong with it just now, so that nobody can know. */
    boolean fellJustNow(long now) {
        return now - troubledAt <= UNAWARE || !up && now - downSince <= UNAWARE;
    }

    /** It gets another address. */
    void moveTo(String address) {
        moved = true;
        addressed(address);
    }

    /** Whether etcd was set up for the address that it has now. */
    boolean listensHere() {
        return listens.filter(peerUrl::equals).isPresent();
    }

    /** Whether systemd starts its etcd again and again. */
    boolean endsAtOnce() {
        return !up && kubelet && data.isPresent() && (!binds() || !broken.isEmpty());
    }

    @Override
    protected boolean binds() {
        return !moved || listensHere();
    }

    void kubeletWorks(boolean works) {
        kubeletWorks = works;
        kubelet = kubeletWorks && kubeletService;
    }

    /** A boot, and whoever sets etcd up, start the services that were stopped. */
    void startServices() {
        kubeletService = true;
        kubeletWorks(kubeletWorks);
    }

    void loseDisk(long now) {
        lostAt = now;
        trouble(now);
        recovers(now);
        data = Optional.empty();
        lastIndex = 0;
        files.deleteTree(DATA);
        down(now);
    }

    /** A new run of a program; a later one can tell that this one is over. */
    void newRun() {
        String fields = " 0".repeat(18);
        files.write(PROCESS, "1 (java) S%s %d".formatted(fields, ++runs), FileMode.OWNER_ONLY);
    }

    // ---- its files

    /** Makes it a control-plane node that is up. */
    void install(List<NameAndUrl> cluster) {
        files.write(ETCD, etcdPod(cluster), FileMode.OWNER_ONLY);
        release();
        if (up) {
            started(0);
        }
    }

    /** The join has ended well: the other components may start. */
    void release() {
        for (String component : CLIENTS) {
            files.write(
                    PATHS.manifest(component),
                    pod(
                            component,
                            "",
                            List.of(
                                    "--advertise-address=" + peerUrl.getHost(),
                                    "--etcd-servers=https://127.0.0.1:2379")),
                    FileMode.OWNER_ONLY);
        }
        looked();
    }

    String etcdPod(List<NameAndUrl> cluster) {
        return pod(
                "etcd",
                etcdTag.map("    image: registry.k8s.io/etcd:%s\n"::formatted).orElse("") + """
                  volumes:
                  - hostPath: {path: /etc/kubernetes/pki/etcd}
                    name: etcd-certs
                  - hostPath: {path: /var/lib/etcd}
                    name: etcd-data
                """,
                List.of(
                        "--name=" + name,
                        "--initial-advertise-peer-urls=" + peerUrl,
                        "--advertise-client-urls=" + clientUrl,
                        "--listen-client-urls=https://127.0.0.1:2379," + clientUrl,
                        "--initial-cluster="
                                + cluster.stream()
                                        .map(member -> member.name() + "=" + member.url())
                                        .collect(Collectors.joining(",")),
                        "--initial-cluster-state=existing"));
    }

    private static String pod(String name, String volumes, List<String> flags) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  containers:
                  - name: %s
                    command:
                    - %s
                """.formatted(name, name, name)
                + flags.stream().map(flag -> "    - " + flag + "\n").collect(Collectors.joining())
                + volumes;
    }

    /** What the files tell the model. */
    void looked() {
        changes++;
        manifest = files.read(ETCD).map(Host::urls);
        listens = files.read(ETCD)
                .map(text -> URI.create(flag(text, "--initial-advertise-peer-urls=")));
        image = tag("etcd").map(tag -> EtcdVersion.parse(tag.replaceFirst("-.*", "")));
        wanted.clear();
        PODS.forEach(component -> files.read(PATHS.manifest(component))
                .ifPresent(text -> wanted.put(component, Integer.toHexString(text.hashCode()))));
        if (!unmounted && !files.exists(DATA)) {
            data = Optional.empty();
            lastIndex = 0;
        }
    }

    private static Set<URI> urls(String manifest) {
        return Arrays.stream(flag(manifest, "--initial-cluster=").split(","))
                .map(member -> URI.create(member.substring(member.indexOf('=') + 1)))
                .collect(Collectors.toSet());
    }

    private static String flag(String manifest, String flag) {
        int start = manifest.indexOf(flag) + flag.length();
        return manifest.substring(start, manifest.indexOf('\n', start));
    }

    void dataGoes(Optional<Path> to) {
        watch.dataGoes(this, to);
    }

    // ---- its services and containers

    /** systemctl, as far as the kubelet is concerned. */
    CommandRunner commands(Program program) {
        return new CommandRunner() {
            @Override
            public Output run(List<String> command, Duration limit) {
                program.point();
                program.requireNoSignal("cannot run " + String.join(" ", command));
                program.pass(20);
                if (command.contains("stop") || command.contains("start")) {
                    kubeletService = command.contains("start");
                    kubeletWorks(kubeletWorks);
                }
                program.point();
                return new Output(0, kubeletService ? "active\n" : "inactive\n", "");
            }

            @Override
            public boolean isInstalled(String name) {
                return name.equals("systemctl");
            }
        };
    }

    void stop(String component, long now) {
        if (!component.equals("etcd")) {
            running.remove(component);
        } else {
            nextStart = now + 1_000;
            down(now);
        }
    }
}
