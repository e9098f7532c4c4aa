package io.kjadm.etcd.join;

import java.util.Optional;

/**
 * What this node shows of its member.
 *
 * @param alive whether its process answers on this node
 * @param dataBytes size of its data directory: it grows while a snapshot comes in
 * @param databaseBytes how much of that is the database, or a snapshot of it that comes in
 * @param problem why it does not come up, if that is known
 */
public record LocalMemberHealth(
        boolean alive, long dataBytes, long databaseBytes, Optional<StartProblem> problem) {

    public static final LocalMemberHealth NONE =
            new LocalMemberHealth(false, 0, 0, Optional.empty());

    public static final LocalMemberHealth ALIVE =
            new LocalMemberHealth(true, 0, 0, Optional.empty());
}
