package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.auto.Charter;
import io.kjadm.etcd.auto.Ending;
import io.kjadm.etcd.auto.EntryBody.Beginning;
import io.kjadm.etcd.auto.EntryBody.Fenced;
import io.kjadm.etcd.auto.MachineId;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * What a machine remembers of the automatic mode over restarts: who it is, all that it has read of the
 * log, and the entry that it may have written without having been told.
 */
public final class AutoMemory {

    private static final int ID_BYTES = 8;
    private static final Path LOG = Path.of("log");

    private final Optional<HostFiles> files;
    private final Path directory;
    private Optional<Identity> identity = Optional.empty();

    /**
     * Who a machine is.
     *
     * @param machine    made at its first start
     * @param run        how often the daemon was started
     * @param generation for which it has begun its member; 0 if it has not
     * @param boot       in which it was last known to be the only one; empty before
     * @param copied     whether another machine reports by its ID
     */
    private record Identity(
            MachineId machine, long run, int generation, Optional<String> boot, boolean copied) {

        Identity {
            Objects.requireNonNull(machine, "machine");
            Objects.requireNonNull(boot, "boot");
        }
    }

    private AutoMemory(Optional<HostFiles> files, Path directory) {
        this.files = files;
        this.directory = directory;
    }

    /**
     * That of this machine.
     *
     * @throws HostException if it cannot be read
     */
    public static AutoMemory of(HostFiles files, Path directory) {
        AutoMemory memory = new AutoMemory(Optional.of(files), directory);
        memory.identity = memory.readIdentity();
        return memory;
    }

    /** A person's, who is no machine: nothing is kept. */
    public static AutoMemory none() {
        return new AutoMemory(Optional.empty(), Path.of(""));
    }

    private Path identityFile() {
        return directory.resolve("identity.json");
    }

    private Optional<Identity> readIdentity() {
        Optional<byte[]> bytes = read(identityFile());
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            String text = new String(bytes.get(), StandardCharsets.UTF_8);
            return Optional.of(JournalJson.read(JournalJson.parse(text), Identity.class));
        } catch (JsonProcessingException e) {
            throw new HostException(
                    "%s cannot be read".formatted(identityFile()),
                    JsonInput.fault(e),
                    "if this machine has no etcd member, move %s away: it is then a new machine"
                            .formatted(directory),
                    e);
        }
    }

    /** A start of the daemon: counts it, and makes the machine's ID at the first one. */
    public void start(RandomGenerator random) {
        MachineId machine = identity.map(Identity::machine).orElseGet(() -> {
            byte[] bytes = new byte[ID_BYTES];
            random.nextBytes(bytes);
            return new MachineId("m-" + HexFormat.of().formatHex(bytes));
        });
        keep(new Identity(machine, run() + 1, generation(), boot(), copied()));
    }

    /** It is the only one with its ID in that boot, and counts on from a run. */
    void only(String boot, long newest) {
        keep(new Identity(
                id(), Math.max(run(), newest + 1), generation(), Optional.of(boot), false));
    }

    /** Another machine reports by its ID. */
    void copied(boolean is) {
        if (is != copied()) {
            keep(new Identity(id(), run(), generation(), boot(), is));
        }
    }

    /**
     * This machine takes the place of another one, whose disk it has: it counts on from a run of that
     * one, and watches first whether it reports.
     */
    void adopts(MachineId machine, long newest, int generation) {
        forgetPending();
        keep(new Identity(machine, newest, generation, Optional.empty(), false));
    }

    /** In which boot it was last known to be the only one with its ID; empty before. */
    Optional<String> boot() {
        return identity.flatMap(Identity::boot);
    }

    /** Whether another machine reported by its ID when that was last looked at. */
    public boolean copied() {
        return identity.filter(Identity::copied).isPresent();
    }

    /** This machine begins a member of that generation. */
    public void begins(int generation) {
        if (generation != generation()) {
            keep(new Identity(id(), run(), generation, boot(), copied()));
        }
    }

    private void keep(Identity next) {
        write(
                identityFile(),
                JournalJson.text(JournalJson.tree(next)).getBytes(StandardCharsets.UTF_8));
        identity = Optional.of(next);
    }

    /** This machine; empty for a person, and before the daemon was started. */
    public Optional<MachineId> machine() {
        return identity.map(Identity::machine);
    }

    /**
     * This machine.
     *
     * @throws IllegalStateException if it has no ID: {@link #start} makes one
     */
    public MachineId id() {
        return machine().orElseThrow(() -> new IllegalStateException("no machine was started"));
    }

    /** How often the daemon was started; 0 for a person. */
    public long run() {
        return identity.map(Identity::run).orElse(0L);
    }

    /** For which generation this machine has begun its member; 0 if it has not. */
    public int generation() {
        return identity.map(Identity::generation).orElse(0);
    }

    /** What was stopped for good on this machine of a generation; empty if nothing was. */
    public Optional<Fenced> fenced(int generation) {
        Path file = fencedFile(generation);
        return read(file).map(bytes -> {
            try {
                String text = new String(bytes, StandardCharsets.UTF_8);
                return JournalJson.read(JournalJson.parse(text), Fenced.class);
            } catch (JsonProcessingException e) {
                throw new HostException(
                        "%s cannot be read".formatted(file),
                        JsonInput.fault(e),
                        "restore it; it tells where the data of this machine's member are",
                        e);
            }
        });
    }

    /**
     * What was stopped for good on this machine of the generation that ends, or runs; nothing if the log
     * lists another member of it in that generation: a restore was taken back, the member was removed
     * before the machine had put it back, and the machine has joined again.
     */
    public Optional<Fenced> fenced(Charter charter) {
        Optional<Integer> current = charter.current().map(Beginning::generation);
        return charter.ending()
                .map(Ending::began)
                .map(Beginning::generation)
                .or(() -> current)
                .flatMap(this::fenced)
                .filter(it -> current.filter(generation -> generation == it.generation())
                                .isEmpty()
                        || charter.seat(id())
                                .filter(seat -> !seat.id().equals(it.member()))
                                .isEmpty());
    }

    void keepFenced(Fenced fenced) {
        write(
                fencedFile(fenced.generation()),
                JournalJson.text(JournalJson.tree(fenced)).getBytes(StandardCharsets.UTF_8));
    }

    void forgetFenced(int generation) {
        files.ifPresent(it -> it.delete(fencedFile(generation)));
    }

    private Path fencedFile(int generation) {
        return directory.resolve("fenced-%d.json".formatted(generation));
    }

    /** A command begins that stops etcd of this machine and starts it again. */
    void restarts() {
        write(restartFile(), new byte[0]);
    }

    /** Whether such a command has begun, and etcd was not seen to run since. */
    boolean isRestarting() {
        return read(restartFile()).isPresent();
    }

    /** etcd runs. */
    void runsAgain() {
        if (isRestarting()) {
            files.ifPresent(it -> it.delete(restartFile()));
        }
    }

    private Path restartFile() {
        return directory.resolve("restarting");
    }

    /** What clients need was written while these were the voters of the log. */
    void provides(Set<MemberId> voters) {
        write(clientsFile(), text(voters));
    }

    /** Whether it was written for these voters. */
    boolean hasProvided(Set<MemberId> voters) {
        return read(clientsFile())
                .filter(bytes -> Arrays.equals(bytes, text(voters)))
                .isPresent();
    }

    private static byte[] text(Set<MemberId> members) {
        return new TreeSet<>(members).toString().getBytes(StandardCharsets.UTF_8);
    }

    private Path clientsFile() {
        return directory.resolve("clients");
    }

    Optional<byte[]> cluster() {
        return read(directory.resolve("cluster.json"));
    }

    void keepCluster(byte[] bytes) {
        write(directory.resolve("cluster.json"), bytes);
    }

    Optional<byte[]> entry(long slot) {
        return read(logFile(AutoObjects.name(slot)));
    }

    void keepEntry(long slot, byte[] bytes) {
        write(logFile(AutoObjects.name(slot)), bytes);
    }

    /**
     * The entry that may be in the store already, or come to be there.
     *
     * @param slot where it belongs
     */
    record Pending(long slot, byte[] bytes) {}

    Optional<Pending> pending() {
        return read(logFile("pending")).flatMap(bytes -> {
            String text = new String(bytes, StandardCharsets.UTF_8);
            int end = text.indexOf('\n');
            return end < 0
                    ? Optional.empty()
                    : Optional.of(new Pending(
                            Long.parseLong(text.substring(0, end)),
                            text.substring(end + 1).getBytes(StandardCharsets.UTF_8)));
        });
    }

    void keepPending(Pending entry) {
        String text = entry.slot() + "\n" + new String(entry.bytes(), StandardCharsets.UTF_8);
        write(logFile("pending"), text.getBytes(StandardCharsets.UTF_8));
    }

    void forgetPending() {
        files.ifPresent(it -> it.delete(logFile("pending")));
    }

    private Path logFile(String name) {
        return directory.resolve(LOG).resolve(name);
    }

    private Optional<byte[]> read(Path file) {
        return files.flatMap(it -> it.readBytes(file));
    }

    private void write(Path file, byte[] bytes) {
        files.ifPresent(it -> {
            if (!it.isDirectory(file.getParent())) {
                it.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
                it.createDirectory(directory.resolve(LOG), FileMode.PRIVATE_DIRECTORY);
            }
            it.write(file, bytes, FileMode.OWNER_ONLY);
        });
    }
}
