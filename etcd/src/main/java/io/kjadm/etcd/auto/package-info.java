/**
 * The automatic mode of a standalone etcd: what machines write to a shared log, and what one of them
 * does next. To read how it decides:
 *
 * <ol>
 *   <li>{@link io.kjadm.etcd.auto.Entry}, one object of the log, and {@link
 *       io.kjadm.etcd.auto.EntryBody}, all that it may be
 *   <li>{@link io.kjadm.etcd.auto.Charter}, the state that the log folds to. It decides which entries
 *       are valid, so an entry that must not be is void for every reader, whatever its writer thought
 *   <li>{@link io.kjadm.etcd.auto.AutoFacts}, all that a decision may know; {@link
 *       io.kjadm.etcd.auto.Decision}, all that it may be; {@link io.kjadm.etcd.auto.AutoDecider}, the
 *       rules in their order
 * </ol>
 *
 * <p>Nothing here waits, reads a clock or a store. The proposal is KEP-31 of the etcdadm project
 * ({@code seed} and {@code auto}); it leaves open how machines agree, which the log answers.
 */
package io.kjadm.etcd.auto;
