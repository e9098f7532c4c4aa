package io.kjadm.core.journal;

import io.kjadm.core.error.HostException;
import io.kjadm.etcd.MemberId;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An operation that was interrupted on this machine and has not been finished.
 *
 * @param operation which
 * @param path      its journal
 * @param step      that it announced last; empty if that is not known
 * @param began     when it began, if that is known
 * @param clusterId the etcd cluster that it is about (hexadecimal), if it is known
 * @param memberId  the member that it is about, if it is known
 * @param obstacle  why it cannot be continued on this machine as it is; empty if it can
 * @param next      how it is finished, or undone
 */
public record Unfinished(
        Operation operation,
        Path path,
        String step,
        Optional<Instant> began,
        Optional<String> clusterId,
        Optional<MemberId> memberId,
        Optional<String> obstacle,
        String next) {

    /** With the usual way to finish it. */
    public static Unfinished of(JournalOwner owner, Path path) {
        return new Unfinished(
                owner.operation(),
                path,
                owner.step(),
                owner.began(),
                owner.clusterId(),
                owner.memberId(),
                Optional.empty(),
                owner.operation().next());
    }

    /** What is known of it, in one sentence. */
    public String facts() {
        List<String> parts = new ArrayList<>();
        began.ifPresent(at -> parts.add("started at " + at));
        if (!step.isEmpty()) {
            parts.add("at step " + step);
        }
        memberId.ifPresent(id -> parts.add("about etcd member " + id));
        clusterId.ifPresent(id -> parts.add("of cluster " + id));
        parts.add("journal " + path);
        obstacle.ifPresent(parts::add);
        return String.join(", ", parts);
    }

    /** The error of a command that must not run beside it. */
    public HostException refusal() {
        return new HostException(
                "%s is not finished on this machine".formatted(operation.aTitle()), facts(), next);
    }
}
