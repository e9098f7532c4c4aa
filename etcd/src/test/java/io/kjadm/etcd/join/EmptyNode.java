package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node on which nothing is, and nothing hinders; from it everybody is reached. */
public class EmptyNode implements LocalMember {

    @Override
    public LocalDataDir localDataDir() {
        return LocalDataDir.NONE;
    }

    @Override
    public LocalMemberHealth memberHealth() {
        return LocalMemberHealth.NONE;
    }

    @Override
    public final Optional<StartProblem> startProblem() {
        return Optional.empty();
    }

    @Override
    public final Map<MemberId, String> unreached(List<Member> voters) {
        return Map.of();
    }

    @Override
    public final boolean listens(Member member) {
        return true;
    }

    @Override
    public final String notReadyReason() {
        return "";
    }

    @Override
    public void writeManifest(List<Member> members, Member own) {
        throw new AssertionError("it was not asked for");
    }

    @Override
    public String stopAndSetAside() {
        throw new AssertionError("it was not asked for");
    }

    @Override
    public final void help(boolean announced) {
        // there is nothing to help
    }
}
