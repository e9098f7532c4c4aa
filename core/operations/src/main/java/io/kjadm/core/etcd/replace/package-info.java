/**
 * Members on machines that are not this program's: adding one, replacing one. Read
 * {@link io.kjadm.core.etcd.replace.ReplaceRules} first: it decides in which order, and
 * {@link io.kjadm.core.etcd.replace.MemberReplacement} acts.
 */
package io.kjadm.core.etcd.replace;
