package io.kjadm.core.join;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.config.JoinConfiguration;
import io.kjadm.core.config.JoinSettings;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.pki.CertificateInfo;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers on disk that a join was begun, and with what: if the program is killed or the power
 * fails, the same command run again takes what is already there for its own and goes on. The note
 * goes when the join has ended. It is in the kubelet's directory, which every reset empties,
 * kubeadm's too.
 */
public final class UnfinishedJoin {

    private final HostFiles files;
    private final Optional<Path> note;

    private UnfinishedJoin(HostFiles files, Optional<Path> note) {
        this.files = files;
        this.note = note;
    }

    /** What is noted on this machine. */
    public static UnfinishedJoin on(HostFiles files, KubernetesPaths paths) {
        return new UnfinishedJoin(
                files, Optional.of(paths.kubeletDir().resolve("kjadm-join.json")));
    }

    /**
     * For what is no whole join, a single phase or a dry run: nothing is noted, and nothing
     * remembered.
     */
    public static UnfinishedJoin untracked(HostFiles files) {
        return new UnfinishedJoin(files, Optional.empty());
    }

    /**
     * @param cluster pin of the cluster's CA
     * @param texts   what was read of the cluster; missing in a note of an earlier release
     */
    private record Note(
            String cluster, TreeMap<String, String> settings, Optional<ClusterTexts> texts) {}

    /** What the run that began it had read of the cluster, which may not answer any more. */
    Optional<ClusterTexts> learned() {
        return read().flatMap(Note::texts);
    }

    /**
     * Whether an earlier run of the same join was cut short.
     *
     * @throws UsageException if that run had other settings
     */
    public boolean isResumedBy(JoinConfiguration config) {
        Optional<Note> found = read();
        List<String> changes = found.map(begun ->
                        new JoinSettings(begun.settings()).changesTo(JoinSettings.of(config)))
                .orElse(List.of());
        if (!changes.isEmpty()) {
            throw new UsageException(
                    "this machine is in the middle of another join",
                    String.join("; ", changes),
                    "run the command as it was run before, or run 'kjadm reset' first");
        }
        return found.isPresent();
    }

    /**
     * Notes that the run begins to change things; the same again changes nothing.
     *
     * @throws UsageException if a join of another cluster was begun
     */
    void begin(JoinRun run) {
        if (note.isEmpty()) {
            return;
        }
        String cluster = CertificateInfo.parse(run.cluster().caPem()).pin().format();
        Optional<Note> found = read();
        if (found.isPresent() && !found.get().cluster().equals(cluster)) {
            throw new UsageException(
                    "this machine is in the middle of joining another cluster",
                    "the CA of that one is %s, of this one %s"
                            .formatted(found.get().cluster(), cluster),
                    "join the previous cluster, or run 'kjadm reset' first");
        }
        if (found.isEmpty()) {
            write(new Note(
                    cluster,
                    new TreeMap<>(JoinSettings.of(run.config()).values()),
                    Optional.of(run.cluster().texts())));
        }
    }

    /** Forgets the join: it has ended. */
    public void end() {
        note.ifPresent(files::delete);
    }

    /**
     * A note that cannot be read was not written by us: writes are atomic. Then the join decides as
     * on a machine without one.
     */
    private Optional<Note> read() {
        return note.flatMap(files::read).flatMap(text -> {
            try {
                return Optional.of(JournalJson.read(JournalJson.parse(text), Note.class));
            } catch (JsonProcessingException | IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    private void write(Note begun) {
        files.write(
                note.orElseThrow(), JournalJson.text(JournalJson.tree(begun)), FileMode.OWNER_ONLY);
    }
}
