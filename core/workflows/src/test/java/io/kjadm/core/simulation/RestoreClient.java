package io.kjadm.core.simulation;

import io.kjadm.core.etcd.Forwarding;
import io.kjadm.etcd.Alarm;
import io.kjadm.etcd.ErrorClass;
import io.kjadm.etcd.EtcdCallException;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.etcd.MemberStatus;
import io.kjadm.etcd.RpcCode;
import io.kjadm.etcd.StatusAnswer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The members of all clusters as one run reaches them on port 2379. */
final class RestoreClient extends Forwarding {

    private static final long ROUND_TRIP = 100;
    private static final MemberStatus.Versions VERSION =
            MemberStatus.Versions.of(EtcdVersion.parse("3.6.8"));

    private final RestoreSimulation play;
    private final RestoreRun run;

    RestoreClient(RestoreSimulation play, RestoreRun run) {
        super(null);
        this.play = play;
        this.run = run;
    }

    private static EtcdCallException silence() {
        return new EtcdCallException(
                ErrorClass.TRANSIENT, RpcCode.UNAVAILABLE, "connection timed out", "call", null);
    }

    private RestoreMachine.Serving at(URI clientUrl) {
        return play.network.reached(run, clientUrl).orElseThrow(RestoreClient::silence);
    }

    @Override
    public List<Member> members() {
        throw silence();
    }

    @Override
    public List<Member> membersKnownTo(URI clientUrl) {
        List<Member> members = at(clientUrl).members;
        run.listed(members);
        return members;
    }

    /** In that order, as which of several threads is the first one differs from play to play. */
    @Override
    public Optional<List<Member>> membersKnownToFirst(
            Collection<URI> clientUrls, Map<URI, EtcdCallException> silences) {
        List<List<Member>> known = new ArrayList<>();
        for (URI url : clientUrls) {
            try {
                known.add(membersKnownTo(url));
            } catch (EtcdCallException e) {
                silences.put(url, e);
            }
        }
        return known.stream().findFirst();
    }

    @Override
    public Map<Member, List<Member>> membersKnownToEach(Collection<Member> members) {
        Map<Member, List<Member>> lists = new LinkedHashMap<>();
        for (Member member : members) {
            membersKnownToFirst(member.clientUrls(), new HashMap<>())
                    .ifPresent(list -> lists.put(member, list));
        }
        return lists;
    }

    @Override
    public MemberStatus status(Member member) {
        return status(member.clientUrls().getFirst());
    }

    @Override
    public MemberStatus status(URI clientUrl) {
        RestoreMachine.Serving etcd = at(clientUrl);
        boolean hidden = play.missing == RestoreRules.A_KNOWN_LEADER_PROVES_A_QUORUM
                && etcd.voters().size() > 1;
        return new MemberStatus(
                etcd.ids.memberId(),
                etcd.ids.clusterId(),
                hidden ? MemberId.NONE : etcd.leader,
                VERSION,
                4096,
                3,
                etcd.index,
                etcd.index,
                false,
                List.of());
    }

    @Override
    public Map<Member, StatusAnswer> statuses(Collection<Member> members) {
        run.pass(ROUND_TRIP);
        Map<Member, StatusAnswer> answers = new LinkedHashMap<>();
        members.forEach(member -> answers.put(member, StatusAnswer.ask(this, member)));
        return answers;
    }

    @Override
    public Map<URI, StatusAnswer> statusesAt(Collection<URI> clientUrls) {
        run.pass(ROUND_TRIP);
        Map<URI, StatusAnswer> answers = new LinkedHashMap<>();
        clientUrls.forEach(url -> answers.put(url, StatusAnswer.ask(this, url)));
        return answers;
    }

    @Override
    public List<Alarm> alarms() {
        return List.of();
    }

    @Override
    public void snapshot(URI clientUrl, OutputStream into) throws IOException {
        RestoreMachine.Serving etcd = at(clientUrl);
        into.write(RestoreMachine.database(etcd.members, etcd.index));
    }

    @Override
    public KvHash hashKv(URI clientUrl, long revision) {
        throw silence();
    }

    @Override
    public long revision(URI clientUrl) {
        if (!at(clientUrl).led) {
            throw silence();
        }
        return RestoreSimulation.RESTORED_REVISION;
    }

    @Override
    public void close() {
        // nothing is open
    }
}
