package io.kjadm.core.auto;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.JsonInput;
import io.kjadm.core.journal.JournalJson;
import io.kjadm.etcd.auto.Decision.Wait;
import io.kjadm.etcd.auto.WaitCode;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Why etcd was not started when the store responded last. It holds for the member that was refused,
 * until the store responds again: what the store told once does not become untrue when it is silent.
 */
final class StartRefusal {

    private final HostFiles files;
    private final Path file;

    /**
     * What was refused.
     *
     * @param uid   of the cluster file
     * @param begun by which entry of the log the member was begun
     */
    private record Note(String uid, String begun, WaitCode code, String why, String next) {

        Note(DiskNote of, Wait refusal) {
            this(of.uid(), of.begun(), refusal.code(), refusal.why(), refusal.next());
        }
    }

    StartRefusal(HostFiles files, Path file) {
        this.files = files;
        this.file = file;
    }

    /**
     * The one of a member; empty if there is none.
     *
     * @throws HostException if it cannot be read
     */
    Optional<Wait> of(DiskNote member) {
        Optional<String> text = files.read(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(JournalJson.read(JournalJson.parse(text.get()), Note.class))
                    .filter(note ->
                            note.uid().equals(member.uid()) && note.begun().equals(member.begun()))
                    .map(note -> new Wait(
                            note.code(), note.why() + ", as the store told before", note.next()));
        } catch (JsonProcessingException e) {
            throw new HostException(
                    "%s cannot be read".formatted(file),
                    JsonInput.fault(e),
                    "start etcd when the store responds: it is written again then",
                    e);
        }
    }

    /**
     * What is true of a member now that the store responds. A disk that takes no writes changes
     * nothing about that: the note is then what it was.
     */
    void keep(DiskNote member, Optional<Wait> refusal) {
        try {
            if (refusal.isPresent()) {
                write(new Note(member, refusal.get()));
            } else {
                files.delete(file);
            }
        } catch (HostException e) {
            // the next start asks the store again
        }
    }

    private void write(Note note) {
        byte[] text = JournalJson.text(JournalJson.tree(note)).getBytes(StandardCharsets.UTF_8);
        if (files.readBytes(file).filter(it -> Arrays.equals(it, text)).isEmpty()) {
            files.write(file, text, FileMode.OWNER_ONLY);
        }
    }

    /** No member is checked any more. */
    void forget() {
        files.delete(file);
    }
}
