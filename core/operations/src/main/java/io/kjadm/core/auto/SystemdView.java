package io.kjadm.core.auto;

import io.kjadm.core.error.KjadmException;
import io.kjadm.core.etcd.EtcdClients;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.host.ForeignMember;
import io.kjadm.core.etcd.host.MemberRecord;
import io.kjadm.core.etcd.host.SystemdEtcd;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.HostFiles.Claim;
import io.kjadm.core.standalone.CaOfGeneration;
import io.kjadm.core.standalone.DueCertificates;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdCluster;
import io.kjadm.etcd.EtcdHealth;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.auto.AutoFacts;
import io.kjadm.etcd.auto.AutoFacts.Copy;
import io.kjadm.etcd.auto.AutoFacts.Data;
import io.kjadm.etcd.auto.AutoFacts.EtcdView;
import io.kjadm.etcd.auto.AutoFacts.Local;
import io.kjadm.etcd.auto.AutoFacts.Provided;
import io.kjadm.etcd.auto.AutoFacts.Self;
import io.kjadm.etcd.auto.AutoFacts.SetUp;
import io.kjadm.etcd.auto.AutoFacts.Stops;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Charter.Phase;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.MachineReport;
import io.kjadm.etcd.auto.MachineReport.Floor;
import io.kjadm.etcd.auto.MachineReport.Readiness;
import io.kjadm.etcd.auto.Seat;
import io.kjadm.etcd.auto.StartRules;
import io.kjadm.etcd.auto.Step;
import io.kjadm.etcd.auto.UnitState;
import io.kjadm.manifests.StandaloneEtcd;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A machine whose etcd is a service of systemd. */
public final class SystemdView implements MachineView, AutoCloseable {

    /** The certificate that it is made with is valid for longer. */
    private static final Duration CONNECTED = Duration.ofMinutes(10);

    private static final Set<String> RUNNING =
            Set.of("active", "activating", "reloading", "deactivating", "refreshing");

    private final AutoMemory memory;
    private final SystemdEtcd etcd;
    private final EtcdClients clients;
    private final CaOfGeneration ca;
    private final Keeping keeping;
    private final Options options;

    private final OwnData data;
    private final DueCertificates certificates;

    private Optional<Connected> connected = Optional.empty();

    /**
     * What the machine was told.
     *
     * @param hostname    the first part of the member's name
     * @param address     by which others reach the machine
     * @param directories of etcd
     * @param flags       of {@code etcd init} and {@code join}
     * @param archive     that etcd is installed from, or directory of archives; empty if it is downloaded
     * @param backup      the snapshots of its cluster
     * @param lock        file that a kjadm holds while it changes the machine
     */
    public record Options(
            String hostname,
            InetAddress address,
            Directories directories,
            List<String> flags,
            Optional<Path> archive,
            AutoFacts.Backup backup,
            Path lock) {

        public Options {
            flags = List.copyOf(flags);
        }
    }

    /**
     * What is remembered of this machine.
     *
     * @param copy  whether another machine has its ID
     * @param check the command that systemd runs before each start of etcd
     */
    public record Keeping(OwnDisk disk, Supplier<Optional<Copy>> copy, List<String> check) {

        public Keeping {
            check = List.copyOf(check);
        }
    }

    private record Connected(List<URI> endpoints, Instant since, EtcdCluster cluster) {}

    public SystemdView(
            AutoMemory memory,
            SystemdEtcd etcd,
            EtcdClients clients,
            CaOfGeneration ca,
            Keeping keeping,
            Options options) {
        this.memory = memory;
        this.etcd = etcd;
        this.clients = clients;
        this.ca = ca;
        this.keeping = keeping;
        this.options = options;
        this.data = new OwnData(
                memory,
                keeping.disk(),
                etcd.machine().files(),
                () -> etcd.known()
                        ? etcd.state().dataDir()
                        : options.directories().data());
        this.certificates = new DueCertificates(etcd, clients.observer());
    }

    @Override
    public Self self(Charter charter) {
        return new Self(
                memory.id(),
                new Step.Own(
                        options.hostname() + "-" + memory.id().digits(),
                        options.address().getHostAddress(),
                        charter.seed().spec().version(),
                        options.flags()),
                EtcdUrls.peer(options.address()),
                EtcdUrls.client(options.address()),
                options.backup());
    }

    @Override
    public Local local(Charter charter, Optional<MachineReport> reported) {
        Optional<MemberRecord> record = etcd.record();
        Map<String, String> properties = etcd.machine()
                .services()
                .properties(
                        StandaloneEtcd.UNIT,
                        "LoadState",
                        "ActiveState",
                        "SubState",
                        "Result",
                        "UnitFileState",
                        "InactiveExitTimestampMonotonic");
        UnitState unit = unit(properties);
        if (unit == UnitState.STOPPED && memory.isRestarting() && enabled(properties)) {
            unit = UnitState.SKIPPED;
        }
        boolean ended = unit == UnitState.FAILED || unit == UnitState.RESTARTING;
        Data data = this.data.look(charter, begun(record), unit == UnitState.ACTIVE, reported);
        Optional<String> damage =
                ended && data instanceof Data.Held ? etcd.watch().damage() : Optional.empty();
        if (damage.isPresent()) {
            data = new Data.Lost("etcd does not start: " + damage.get());
        }
        SetUp by = by(record, data);
        if (by == SetUp.DATA) {
            data = named(data);
        }
        return new Local(
                data,
                unit,
                by,
                new Readiness(missing(data, unit)),
                new Provided(
                        charter.current()
                                .map(Beginning::generation)
                                .filter(ca::known)
                                .isPresent(),
                        provided(charter),
                        certificates.due()),
                memory.fenced(charter),
                new Stops(
                        busy(),
                        keeping.copy().get(),
                        LocalPause.of(etcd.machine().files())));
    }

    private SetUp by(Optional<MemberRecord> record, Data data) {
        if (record.filter(MemberRecord::finished).isPresent()) {
            return record.get().founder() ? SetUp.INIT : SetUp.JOIN;
        }
        boolean member = data instanceof Data.Held(int _, var held) && held.isPresent();
        // a record counts once the settings of etcd are written
        boolean other = etcd.configured() && record.map(MemberRecord::founder).orElse(true);
        return member && !other && !joins() ? SetUp.DATA : SetUp.NONE;
    }

    /** etcd is set up in the directory that the daemon was told. */
    private Data named(Data data) {
        Path told = options.directories().data();
        Path there = this.data.directory();
        return told.equals(there)
                ? data
                : new Data.OtherDisk(
                        "the data of this machine's member are in %s, and the automatic mode was started for %s"
                                .formatted(there, told),
                        "start it with --data-dir=" + there);
    }

    private boolean joins() {
        return new JournalFile(etcd.machine().files(), etcd.paths().stateDir())
                .read()
                .isPresent();
    }

    private OwnData.Begun begun(Optional<MemberRecord> record) {
        if (record.filter(MemberRecord::finished).isPresent()) {
            return OwnData.Begun.FINISHED;
        }
        return etcd.configured() || joins() ? OwnData.Begun.BEGUN : OwnData.Begun.NOT;
    }

    @Override
    public void begins(Charter charter) {
        data.begins(charter, clients.observer().now());
        etcd.checkStart(keeping.check(), options.directories().data());
    }

    @Override
    public void seen(AutoFacts facts) {
        boolean copy = facts.local().stops().copy().isPresent();
        if (facts.local().unit() == UnitState.ACTIVE) {
            memory.runsAgain();
        }
        if (facts.charter().phase() == Phase.RETIRED
                && !copy
                && StartRules.refusal(
                                facts.charter(),
                                facts.self().id(),
                                facts.local().data(),
                                Optional.empty())
                        .isEmpty()) {
            // etcd starts without kjadm from now on
            etcd.uncheckStart();
            keeping.disk().forget();
            return;
        }
        if (!copy) {
            takeOver(facts);
        }
        data.seen(facts, clients.observer().now());
        boolean member = facts.local().setUp() || facts.local().by() == SetUp.DATA;
        if (copy || !member) {
            return;
        }
        if (keeping.disk().note().isPresent()) {
            etcd.checkStart(keeping.check(), data.directory());
        } else if (facts.charter().seat(facts.self().id()).isEmpty()
                && !(facts.local().data() instanceof Data.OtherDisk)) {
            // that of an automatic mode that this machine has left, and that refuses every start
            etcd.uncheckStart();
        }
    }

    /** A member that another program has set up is managed once an operator has adopted its cluster. */
    private void takeOver(AutoFacts facts) {
        Optional<MemberStatus> unclaimed = facts.local().data()
                                instanceof Data.Held(int _, Optional<MemberId> member)
                        && facts.etcd()
                                instanceof EtcdView.Answers(EtcdHealth health, String cluster)
                        && facts.charter().cluster().filter(cluster::equals).isPresent()
                ? facts.charter().voters().stream()
                        .filter(seat -> member.filter(seat.id()::equals).isPresent()
                                && seat.machine().isEmpty())
                        .findFirst()
                        .flatMap(seat -> health.find(seat.id()))
                        .filter(health::healthy)
                        .flatMap(own -> health.status(own.id()))
                : Optional.empty();
        unclaimed.ifPresent(status -> etcd.foreign()
                .filter(foreign -> foreign.objection().isEmpty())
                .map(foreign -> foreign.record(status.version()))
                .ifPresent(etcd::remember));
    }

    @Override
    public Floor floor() {
        return keeping.disk().floor();
    }

    private static UnitState unit(Map<String, String> unit) {
        String active = unit.getOrDefault("ActiveState", "");
        if (unit.getOrDefault("LoadState", "not-found").equals("not-found")) {
            return UnitState.ABSENT;
        }
        if (RUNNING.contains(active)) {
            // systemd 254 and newer: auto-restart-queued after it
            return unit.getOrDefault("SubState", "").startsWith("auto-restart")
                    ? UnitState.RESTARTING
                    : UnitState.ACTIVE;
        }
        // a mount that failed keeps systemd from even trying, at boot
        boolean skipped = "exec-condition".equals(unit.get("Result"))
                        && !"disabled".equals(unit.get("UnitFileState"))
                || enabled(unit) && "0".equals(unit.get("InactiveExitTimestampMonotonic"));
        return active.equals("failed")
                ? UnitState.FAILED
                : skipped ? UnitState.SKIPPED : UnitState.STOPPED;
    }

    private static boolean enabled(Map<String, String> unit) {
        return "enabled".equals(unit.get("UnitFileState"));
    }

    /** The claim is given back at once: this only asks. */
    private Optional<String> busy() {
        try (Claim claim = etcd.machine().files().claim(options.lock()).orElse(null)) {
            return claim == null
                    ? Optional.of("it holds the lock on " + options.lock())
                    : Optional.empty();
        }
    }

    private List<String> missing(Data data, UnitState unit) {
        List<String> missing = new ArrayList<>();
        if (data instanceof Data.Unreadable(String why)) {
            missing.add(why);
        }
        if (data instanceof Data.Blank && unit != UnitState.ABSENT) {
            missing.add("there is an etcd.service that kjadm has not set up");
        }
        if (!etcd.machine().services().isSystemd()) {
            missing.add("systemd does not run");
        }
        if (data instanceof Data.Held) {
            etcd.foreign().flatMap(ForeignMember::objection).ifPresent(missing::add);
        }
        archive().ifPresent(missing::add);
        return missing;
    }

    /** A machine that cannot install etcd is not ready, also where it could download it. */
    private Optional<String> archive() {
        HostFiles files = etcd.machine().files();
        boolean installed = files.exists(options.directories().install().resolve("etcd"));
        return options.archive()
                .filter(path -> !installed && !files.exists(path) && !files.isDirectory(path))
                .map("%s (--etcd-tarball) does not exist"::formatted);
    }

    private boolean provided(Charter charter) {
        Path file = etcd.paths().externalEtcd();
        if (!etcd.machine().files().exists(file)) {
            return false;
        }
        try {
            Set<URI> written = new HashSet<>(
                    ExternalEtcdFile.read(etcd.machine().files(), file).endpoints());
            // members may tell other URLs than the log has, such as one that was not started yet
            // when
            // the log got to know it
            return written.equals(new HashSet<>(endpoints(charter)))
                    || memory.hasProvided(charter.voterIds())
                            && written.size() >= charter.voters().size();
        } catch (KjadmException e) {
            return false;
        }
    }

    private static List<URI> endpoints(Charter charter) {
        return charter.voters().stream()
                .map(Seat::clientUrls)
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public EtcdView etcd(Charter charter) {
        Optional<Path> certificates =
                charter.current().map(Beginning::generation).flatMap(ca::directory);
        if (certificates.isEmpty()) {
            return new EtcdView.Silent("the CA of the cluster is not in the store yet");
        }
        try {
            EtcdCluster cluster = connect(endpoints(charter), certificates.get());
            EtcdHealth health = EtcdHealth.ask(cluster);
            return health.clusterIds().isEmpty()
                    ? new EtcdView.Silent("no member tells its cluster")
                    : new EtcdView.Answers(health, String.join(" ", health.clusterIds()));
        } catch (EtcdCallException e) {
            close();
            return new EtcdView.Silent(e.text());
        } catch (KjadmException e) {
            close();
            return new EtcdView.Silent(e.problem().facts());
        }
    }

    private EtcdCluster connect(List<URI> endpoints, Path certificates) {
        Instant now = clients.observer().now();
        Optional<Connected> usable = connected.filter(known -> known.endpoints().equals(endpoints)
                && Duration.between(known.since(), now).compareTo(CONNECTED) < 0);
        if (usable.isEmpty()) {
            close();
            connected = Optional.of(new Connected(
                    endpoints, now, clients.connect(clients.to(endpoints, certificates))));
        }
        return connected.orElseThrow().cluster();
    }

    @Override
    public void close() {
        connected.ifPresent(known -> known.cluster().close());
        connected = Optional.empty();
    }
}
