package io.kjadm.core.etcd.commands;

import io.kjadm.core.error.UsageException;
import io.kjadm.etcd.Member;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Finds the member an operator means: by ID, or by name where only one has it. */
final class MemberChoice {

    private MemberChoice() {}

    /** @throws UsageException if no member or more than one is meant */
    static Member of(List<Member> members, String word) {
        String hexadecimal = word.strip()
                .toLowerCase(Locale.ROOT)
                .replaceFirst("^0x", "")
                .replaceFirst("^0+(?=.)", "");
        List<Member> meant = members.stream()
                .filter(member -> member.id().toString().equals(hexadecimal)
                        || member.started() && member.name().equals(word))
                .toList();
        if (meant.size() == 1) {
            return meant.getFirst();
        }
        throw meant.isEmpty()
                ? new UsageException(
                        "no etcd member has the ID or the name \"%s\"".formatted(word),
                        "the members are " + described(members),
                        "name one of these")
                : new UsageException(
                        "\"%s\" matches more than one etcd member".formatted(word),
                        described(meant),
                        "name the member by its ID");
    }

    private static String described(List<Member> members) {
        return members.stream().map(Member::describe).collect(Collectors.joining("; "));
    }
}
