package io.kjadm.etcd.recover;

import io.kjadm.etcd.KvHash;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberStatus;

import java.util.Optional;

/**
 * What came of asking a member.
 *
 * @param member  as it is listed
 * @param status  empty if it did not answer
 * @param silence why not, or empty text
 * @param hash    what its keys add up to, where that was asked
 */
public record MemberAnswer(
        Member member, Optional<MemberStatus> status, String silence, Optional<KvHash> hash) {}
