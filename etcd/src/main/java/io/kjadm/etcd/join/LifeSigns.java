package io.kjadm.etcd.join;

import java.util.Optional;

/**
 * What this node shows of its member.
 *
 * @param alive whether its process answers on this node
 * @param dataBytes size of its data directory: it grows while a snapshot comes in
 * @param fatal the line with which its last container ended, if it ended and nothing has been alive since
 */
public record LifeSigns(boolean alive, long dataBytes, Optional<FatalLine> fatal) {

    public static final LifeSigns NONE = new LifeSigns(false, 0, Optional.empty());

    public static final LifeSigns ALIVE = new LifeSigns(true, 0, Optional.empty());
}
