package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * A member whose node is in other hands: of it nothing is known here, and nothing can be done there
 * but by whoever looks after it.
 *
 * @param announced whether the member is listed, so that its data must be believed to be there
 * @param health    what is believed of its process
 * @param start     tells with which members it has to be started, and which of them it is
 */
record DistantMember(
        BooleanSupplier announced, LocalMemberHealth health, BiConsumer<List<Member>, Member> start)
        implements LocalMember {

    @Override
    public LocalDataDir localDataDir() {
        return announced.getAsBoolean() ? LocalDataDir.SOME_DATA : LocalDataDir.NONE;
    }

    @Override
    public LocalMemberHealth memberHealth() {
        return health;
    }

    @Override
    public Optional<StartProblem> startProblem() {
        return Optional.empty();
    }

    @Override
    public Map<MemberId, String> unreached(List<Member> voters) {
        return Map.of();
    }

    @Override
    public boolean listens(Member member) {
        return true;
    }

    @Override
    public String notReadyReason() {
        return "";
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        start.accept(members, own);
    }

    @Override
    public String stopAndSetAside() {
        return "stop its etcd and empty its data directory: a member that was removed can never return";
    }

    @Override
    public void help(boolean listed) {
        // only on its node
    }
}
