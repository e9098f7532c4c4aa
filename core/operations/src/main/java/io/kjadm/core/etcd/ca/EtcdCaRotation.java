package io.kjadm.core.etcd.ca;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.ca.RotatedNode.Clients;
import io.kjadm.core.etcd.ca.RotatedNode.Need;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.CaRotationStage;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.pki.PairFile;
import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;
import io.kjadm.pki.CertificateAuthority;
import io.kjadm.pki.CertificateInfo;
import io.kjadm.pki.IssuedCertificate;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.pki.Validity;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Gives etcd a new CA while it serves. Each node first trusts both CAs, then has its certificates
 * signed by the new one, then trusts that one alone; a stage begins when all nodes have ended the
 * one before. The nodes learn of each other through etcd, and the new CA's key travels there
 * encrypted ({@link CaRotationKey}). Killed anywhere, the same command resumes it.
 *
 * <p>Where clients are on other machines, nobody here can tell whether they are ready for the next
 * stage: a run ends with each, and the operator of the next one is asked.
 */
public final class EtcdCaRotation {

    static final String AREA = "rotate-ca";
    private static final Duration INTERVAL = Duration.ofSeconds(2);
    /** In which nobody means to begin the next one. */
    private static final Duration JUST_ENDED = Duration.ofHours(1);

    private final HostFiles files;
    private final KeyPairPool keys;
    private final RotatedNode node;
    private final RotatedNode.Terms terms;
    private final CaRotationCluster etcd;
    private final Waiter observer;
    private final Reporter out;
    private final RotationAcceptance acceptance;
    private final NewCaTransfer transfer;
    private final RevivedNotes revived;
    private final CaRotationJournal journal;

    /**
     * @param keys       of the new CA
     * @param node       this one
     * @param key        with which the new CA's key is encrypted in etcd
     * @param observer   waits for other nodes
     * @param failpoints faults on purpose, or none
     * @param limits     in which every member answers as the next stage needs it
     */
    public EtcdCaRotation(
            HostFiles files,
            KeyPairPool keys,
            RotatedNode node,
            CaRotationKey key,
            CaRotationCluster etcd,
            Waiter observer,
            Reporter out,
            Failpoints failpoints,
            RotationAcceptance.Limits limits) {
        this.files = files;
        this.keys = keys;
        this.node = node;
        this.terms = node.terms();
        this.etcd = etcd;
        this.observer = observer;
        this.out = out;
        this.acceptance = new RotationAcceptance(etcd, observer, limits);
        this.transfer = new NewCaTransfer(files, node, key, out);
        this.revived = new RevivedNotes(etcd, node, transfer, acceptance, out);
        this.journal = new CaRotationJournal(files, node.journal(), failpoints.fuse(observer));
    }

    /** What a run would do next on this node, in words. */
    public String next() {
        node.authority();
        return switch (step()) {
            case CaRotationStep.Begin _ ->
                "create a new CA for etcd, and make this %s trust both".formatted(terms.one());
            case CaRotationStep.Over _ ->
                "remove the notes of a rotation that is over from etcd, and begin a new one";
            case CaRotationStep.TrustBoth(var rotation) -> {
                transfer.open(rotation);
                yield terms.restart() + " both CAs";
            }
            case CaRotationStep.Issue(var rotation, boolean begun) -> {
                transfer.open(rotation);
                yield asking(Clients::beforeIssue, begun)
                        + "issue this %s's certificates from the new CA".formatted(terms.one());
            }
            case CaRotationStep.TrustNewOnly(var _, boolean begun) ->
                asking(Clients::beforeTrustNewOnly, begun) + terms.restart() + " the new CA alone";
            case CaRotationStep.AwaitOthers others -> "wait for " + names(others.behind());
            case CaRotationStep.Finish _ ->
                "finish the rotation, as all %ss are done".formatted(terms.one());
        };
    }

    /**
     * Does everything that this node can do now, then waits for the others. With clients on other
     * machines that ends with each stage.
     *
     * @param wait         how long; zero to tell whose turn it is, and end
     * @param confirmation asked before a rotation is begun, and before a stage is that clients on
     *                     other machines have to be ready for
     * @throws HostException    if this node's CA is not the one that is rotated, or its key is not
     *         here
     * @throws ClusterException if a member is not as it has to be for the next stage
     * @throws UsageException   if the operator says no, or the certificate key is missing
     */
    public void run(Duration wait, Confirmation confirmation) {
        finishInterrupted();
        Instant until = observer.now().plus(wait);
        boolean underWay = endsStage();
        while (true) {
            CaRotationStep step = step();
            switch (step) {
                case CaRotationStep.Begin _ -> {
                    boolean through = journal.isInLastStage();
                    journal.leave();
                    if (underWay) {
                        out.step(AREA, "The rotation was finished on another " + terms.one());
                        return;
                    }
                    if (!begin(through, confirmation)) {
                        return;
                    }
                }
                case CaRotationStep.Over(var rotation) -> {
                    revived.remove(
                            rotation, confirmation, () -> step() instanceof CaRotationStep.Over);
                    continue;
                }
                case CaRotationStep.TrustBoth(var rotation) -> trustBoth(rotation);
                case CaRotationStep.Issue(var rotation, boolean elsewhere) -> {
                    boolean begun = elsewhere || leads(rotation.next());
                    if (!begun && !clientsReady(Clients::beforeIssue, underWay, confirmation)) {
                        return;
                    }
                    issue(rotation);
                }
                case CaRotationStep.TrustNewOnly(var rotation, boolean elsewhere) -> {
                    boolean begun = elsewhere || hasCas(rotation.newPem());
                    if (!begun
                            && !clientsReady(Clients::beforeTrustNewOnly, underWay, confirmation)) {
                        return;
                    }
                    trustNewOnly(rotation);
                }
                case CaRotationStep.AwaitOthers others -> {
                    if (!observer.now().isBefore(until)) {
                        tellWhoseTurn(others);
                        return;
                    }
                    observer.pause(
                            AREA, "waiting for %s".formatted(names(others.behind())), INTERVAL);
                }
                case CaRotationStep.Finish(var rotation) -> {
                    finish(rotation);
                    return;
                }
            }
            underWay = true;
        }
    }

    /** A key without its certificate proves nothing to etcd, which is asked first. */
    private void finishInterrupted() {
        new PairFile(files, node.ca()).finish();
        node.finishInterrupted();
    }

    /**
     * Whether an earlier run was killed when etcd had just noted its stage: this one ends as that one
     * would have, and does not ask for the next stage.
     */
    private boolean endsStage() {
        Optional<CaRotationStage> entered = journal.entered();
        if (entered.isEmpty()) {
            return false;
        }
        MemberId own = etcd.own();
        boolean noted = notes(CaRotationNotes::read)
                        .stages()
                        .getOrDefault(own, CaRotationStage.BEFORE)
                        .compareTo(entered.get())
                >= 0;
        if (noted) {
            journal.leave();
        }
        return noted;
    }

    private String asking(Function<Clients, Need> needs, boolean begun) {
        return node.clients()
                .filter(_ -> !begun)
                .map(needs)
                .map(need -> "ask \"%s\", then ".formatted(need.question()))
                .orElse("");
    }

    /**
     * Whether nobody is cut off by the stage that this node would be the first to begin: a run that
     * has done something ends here, and the next one asks.
     */
    private boolean clientsReady(
            Function<Clients, Need> needs, boolean underWay, Confirmation confirmation) {
        Optional<Need> need = node.clients().map(needs);
        if (need.isEmpty()) {
            return true;
        }
        if (underWay) {
            out.print("\n%s\n\nNext: %s".formatted(need.get().done(), need.get().advice()));
            return false;
        }
        if (!confirmation.confirm(AREA, need.get().question())) {
            throw new UsageException(
                    "it was not confirmed that all clients are ready",
                    "clients that are not ready would lose access to etcd; nothing was changed",
                    need.get().advice().strip().replace('\n', ' '));
        }
        return true;
    }

    private CaRotationStep step() {
        MemberId own = etcd.own();
        List<Member> members = etcd.members();
        CaRotationNotes.Noted noted = notes(CaRotationNotes::read);
        Optional<CaRotationRecord> over = noted.rotation()
                .filter(rotation ->
                        CaRotationStep.isOver(rotation, members, noted.begun(), this::usable));
        if (over.isPresent()) {
            return new CaRotationStep.Over(over.get());
        }
        return CaRotationStep.next(noted.rotation(), own, members, noted.stages());
    }

    /** @param through whether an earlier run was killed in its last stage: it is about that one */
    private boolean begin(boolean through, Confirmation confirmation) {
        CertificateAuthority former = node.authority();
        Optional<CaRotationNotes.Ended> ended = notes(CaRotationNotes::ended)
                .filter(last -> CertificateInfo.parse(last.newCertificate()).equals(former.info()))
                .filter(last -> through
                        || Duration.between(last.at(), node.now()).abs().compareTo(JUST_ENDED) < 0);
        if (ended.isPresent()) {
            transfer.forget();
            etcd.compact();
            out.step(
                    AREA,
                    "Nothing to do: the rotation to this CA ended at %s"
                            .formatted(ended.get().at()));
            return false;
        }
        requireNoOther(List.of(former.info()));
        List<String> refusals = acceptance.refusalsBeforehand(former.certificatePem(), former);
        if (!refusals.isEmpty()) {
            if (!(step() instanceof CaRotationStep.Begin)) {
                // begun on another node meanwhile, which restarts its member
                return true;
            }
            throw RotationAcceptance.refused(refusals, "nothing is changed");
        }
        confirmation.require(
                AREA,
                ("A new CA for etcd will be created. This command must then run on %s, "
                                + "and in the end clients with certificates of the previous CA are rejected. "
                                + "Are you sure you want to proceed?")
                        .formatted(terms.every()),
                "the rotation");
        Duration lifetime = Duration.between(former.notBefore(), former.info().notAfter());
        CertificateAuthority next = CertificateAuthority.create(
                former.info().commonName(), keys, Validity.startingAt(node.now(), lifetime));
        CaRotationRecord record = transfer.seal(former, next, node.now());
        if (!notes(notes -> notes.begin(record))) {
            // begun on another node by now, with another key
            transfer.forget();
            return true;
        }
        out.step(AREA, "Created a new CA for etcd, valid until " + next.info().notAfter());
        transfer.begun();
        return true;
    }

    private void trustBoth(CaRotationRecord rotation) {
        CertificateAuthority next = transfer.openAndKeep(rotation);
        requireNoOther(List.of(rotation.former(), rotation.next()));
        enter(CaRotationStage.TRUSTS_BOTH, rotation);
        // a node that joined meanwhile may have the new one already
        writeCas(leads(rotation.next()) ? rotation.bothNewFirst() : rotation.bothFormerFirst());
        node.restart();
        acceptance.require(
                List.of(ownMember()), rotation.bothFormerFirst(), next, "run the command again");
        reached(CaRotationStage.TRUSTS_BOTH, rotation, "This %s trusts both CAs");
    }

    private void issue(CaRotationRecord rotation) {
        CertificateAuthority next = transfer.open(rotation);
        acceptance.require(rotation.bothFormerFirst(), next, "no certificate was replaced");
        enter(CaRotationStage.ISSUED, rotation);
        if (!leads(rotation.next())) {
            new PairFile(files, node.ca())
                    .replace(new IssuedCertificate(
                            rotation.bothNewFirst(), next.keyPem().orElseThrow()));
        }
        node.renew();
        node.awaitShown();
        reached(
                CaRotationStage.ISSUED,
                rotation,
                "This %s's certificates are signed by the new CA");
    }

    private void trustNewOnly(CaRotationRecord rotation) {
        CertificateAuthority next = transfer.open(rotation);
        acceptance.require(rotation.newPem(), next, "the previous CA is still trusted");
        enter(CaRotationStage.ENDED, rotation);
        writeCas(rotation.newPem());
        node.restart();
        transfer.forget();
        reached(CaRotationStage.ENDED, rotation, "This %s trusts the new CA alone");
    }

    private void finish(CaRotationRecord rotation) {
        tell(notes -> notes.end(rotation, observer.now()));
        // what is deleted stays in etcd's history until that
        etcd.compact();
        out.print("""

                etcd has a new CA on all %ss.

                %s""".formatted(terms.one(), terms.advice()));
    }

    private void enter(CaRotationStage stage, CaRotationRecord rotation) {
        journal.enter(stage, etcd.own(), rotation, observer.now());
    }

    private void reached(CaRotationStage stage, CaRotationRecord rotation, String message) {
        MemberId own = etcd.own();
        tell(notes -> notes.tell(rotation, own, stage));
        journal.leave();
        out.step(AREA, message.formatted(terms.one()));
    }

    private void tellWhoseTurn(CaRotationStep.AwaitOthers others) {
        out.step(
                AREA,
                "%s: complete here. Next: run this command on the %ss of %s, %s"
                        .formatted(
                                switch (others.stage()) {
                                    case BEFORE ->
                                        throw new IllegalStateException("nothing was done here");
                                    case TRUSTS_BOTH -> "Stage 1 of 3, trust both CAs";
                                    case ISSUED -> "Stage 2 of 3, certificates of the new CA";
                                    case ENDED -> "Stage 3 of 3, trust the new CA alone";
                                },
                                terms.one(),
                                names(others.behind()),
                                node.clients().isPresent()
                                                && others.stage() != CaRotationStage.ENDED
                                        ? "the last one shows what clients need then"
                                        : "then here again"));
    }

    /** What somebody has added to the file would be dropped from it, and its clients be refused. */
    private void requireNoOther(List<CertificateInfo> known) {
        String others = trusted().stream()
                .filter(ca -> !known.contains(ca))
                .map(ca -> "%s (SHA-256 %s)".formatted(ca.commonName(), ca.fingerprint()))
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            throw new HostException(
                    "other CAs are trusted in %s: %s".formatted(node.ca().certificate(), others),
                    "a rotation would remove them, and clients with certificates signed by them would be rejected",
                    "remove them if they are no longer needed, then run the command again");
        }
    }

    private List<CertificateInfo> trusted() {
        return files.read(node.ca().certificate())
                .map(CertificateInfo::parseAll)
                .orElse(List.of());
    }

    /** The same of a file that can be used; the next step would begin with that. */
    private List<CertificateInfo> usable() {
        node.authority();
        return trusted();
    }

    private boolean leads(CertificateInfo ca) {
        return files.read(node.ca().certificate())
                .map(CertificateInfo::parse)
                .filter(ca::equals)
                .isPresent();
    }

    private void writeCas(String pem) {
        if (!hasCas(pem)) {
            files.write(node.ca().certificate(), pem, FileMode.WORLD_READABLE);
        }
    }

    private boolean hasCas(String pem) {
        return files.read(node.ca().certificate()).equals(Optional.of(pem));
    }

    private Member ownMember() {
        MemberId own = etcd.own();
        return etcd.members().stream()
                .filter(member -> member.id().equals(own))
                .findFirst()
                .orElseThrow(() -> new ClusterException(
                        "etcd does not list this node's member " + own,
                        "",
                        "see 'kjadm etcd status'"));
    }

    private <T> T notes(Function<CaRotationNotes, T> work) {
        return etcd.values(values -> work.apply(new CaRotationNotes(values)));
    }

    private void tell(Consumer<CaRotationNotes> work) {
        notes(notes -> {
            work.accept(notes);
            return true;
        });
    }

    private static String names(List<Member> members) {
        return members.stream().map(Member::label).collect(Collectors.joining(", "));
    }
}
