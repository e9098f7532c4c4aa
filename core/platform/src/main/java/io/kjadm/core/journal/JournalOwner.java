package io.kjadm.core.journal;

import io.kjadm.core.host.HostFiles;
import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Whose a journal is: the header of each entry, as {@code owner} among the entry's own fields.
 *
 * @param operation what is journalled
 * @param machine   the machine that wrote it ({@code machine-id(5)}); empty in a journal of an
 *                  earlier release, and where the machine has no ID
 * @param boot      the boot that wrote it ({@code random(4)}), if it is known
 * @param clusterId the etcd cluster that it is about (hexadecimal), if it is known
 * @param memberId  the member that it is about, if it is known
 * @param began     when the operation began, if an earlier release has noted that
 * @param step      the step that the entry announces
 */
public record JournalOwner(
        Operation operation,
        Optional<String> machine,
        Optional<String> boot,
        Optional<String> clusterId,
        Optional<MemberId> memberId,
        Optional<Instant> began,
        String step) {

    private static final Path MACHINE_ID = Path.of("/etc/machine-id");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** The ID of this machine. */
    static Optional<String> machine(HostFiles files) {
        return line(files, MACHINE_ID);
    }

    /** The ID of this boot. */
    static Optional<String> boot(HostFiles files) {
        return line(files, BOOT_ID);
    }

    private static Optional<String> line(HostFiles files, Path path) {
        return files.read(path).map(String::strip).filter(id -> !id.isEmpty());
    }

    /** Whether another machine wrote it: its disk was copied, or put into this one. */
    public boolean isOfAnotherThan(Optional<String> here) {
        return machine.isPresent() && here.isPresent() && !machine.equals(here);
    }
}
