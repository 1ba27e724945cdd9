import { among, type Invariant } from './invariant.ts';

/** What people are told, and how often. */
export const NOTICES: readonly Invariant[] = [
  ...among('test/notices/thresholds.test.ts', [
    [
      'a threshold is a share of a limit that held: what is used is read before the limit',
      'const units = requireNumber(await readQuotaUsed(store, projectId, period)); const project = await readOpenProject(store, projectId);',
      'const project = await readOpenProject(store, projectId); const units = requireNumber(await readQuotaUsed(store, projectId, period));',
      'the threshold of a quota is a share of a limit that held, also when it is raised before call 2 of a look',
    ],
    [
      'what a layout lends is not used',
      'const units = requireNumber(await readQuotaUsed(store, projectId, period));',
      'const units = (await readItem<CounterItem>(store, itemKey.quota(projectId, period)))?.units ?? 0;',
      'the threshold of a quota is not told because a layout lends: the counter holds all, little is used',
    ],
    [
      'the keys of a project are not read for each look at a cap',
      "const works = found === 'deleted' ? await searched(store, cap) : found;",
      'const works = await searched(store, cap);',
      'the cap of a key of a successor is found by a few reads, however many keys the project has',
    ],
    [
      'a marker is made once, by whom ever',
      'Item, ConditionExpression: ABSENT',
      'Item',
      'the threshold of a quota that a slow look has seen is not told after a higher one',
      'markReached',
    ],
    [
      'of two thresholds at one look the higher alone is told',
      '...(i < reached.length - 1 && { superseded: true }),',
      '',
      'the threshold of a quota of 100 % alone is told where both were reached between two looks',
    ],
  ]),
  ...among('test/notices/records.test.ts', [
    [
      'a record that cannot be read stops nobody',
      "leaveOut(telemetry, 'a record', details, error); return [];",
      "leaveOut(telemetry, 'a record', details, error); throw error;",
      'a stream with a poison record without its new image goes on with the others, and the platform team is told',
    ],
    [
      'a defect does not hold up the stream for hours',
      '!isPassing(result.reason) && store.clock.now() - madeAtMs >= DEFECT_MS',
      'madeAtMs < 0',
      'a stream with a record that fails by a defect is given again for 15 minutes, and then left out',
    ],
    [
      'what a queue did not take is not left out',
      'error instanceof QueueUnavailableError ||',
      '',
      'a stream with a record that fails by a queue that is down is given again for as long as it is',
    ],
    [
      'a counter that cannot be read holds up nothing',
      'if (isPassing(error)) throw error;',
      'throw error;',
      'a stream with a counter that is no number any more goes on with the others, as the daily run does',
    ],
    [
      'a step that failed is given again',
      'return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };',
      'continue;',
      'a stream is given again from the record that failed, so nothing is lost',
    ],
  ]),
  ...among('test/notices/hostile-endpoints.test.ts', [
    [
      'every address of a name is public',
      'addresses.every(isAllowed)',
      'addresses.some(isAllowed)',
      'an address that is not public beside a public one is called no more than that one',
    ],
  ]),
  ...among('test/notices/deliveries.test.ts', [
    [
      'a try is claimed',
      "delivery ? '#attempts = :before AND #state = :state' : 'attribute_not_exists(#attempts)'",
      "delivery ? '#attempts = :before AND #state = :state' : 'attribute_not_exists(#attempts) OR #attempts = #attempts'",
      'a delivery is made once, however often and at whatever moment its message comes',
    ],
    [
      'what is over is not tried again',
      "if (delivery && delivery.state !== 'waiting') return;",
      '',
      'a delivery is made once, however often and at whatever moment its message comes',
    ],
    [
      'the secret before the present one ends',
      'nowMs < previousUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion]',
      'previousUntilMs > 0 ? [secretVersion, secretVersion - 1] : [secretVersion]',
      'a delivery is signed under both secrets for a day after a rotation, and never longer',
    ],
    [
      'what failed is switched off, and no other address',
      'failed.url !== url || !isFailingAsBefore(failed, failingSinceMs)',
      'failingSinceMs === null',
      'an endpoint that has another address meanwhile is not switched off for the failures of the old one',
    ],
    [
      'what arrived meanwhile ends the failures of before',
      'failingSinceMs !== undefined && failingSinceMs <= before',
      'failingSinceMs !== undefined',
      'an endpoint to which something arrived meanwhile is not switched off for what failed before, though it fails again',
    ],
    [
      'an endpoint is switched off where a delivery is given up',
      'if (!(isGivenUp && isTooLong) && status !== GONE) return;',
      'if (!isTooLong && status !== GONE) return;',
      'an endpoint that failed days ago is not switched off by a first try that fails, but where its delivery is given up',
    ],
  ]),
  ...among('test/notices/invitation-mails.test.ts', [
    [
      'mails with invitations to an address are counted',
      'within(noticeItemKey.address(mailbox, `DAY#${dayText}`), MAILS_IN_DAY.address),',
      '',
      'many invitations at once send three mails a day to an address, whoever invites',
    ],
    [
      'addresses of one mailbox count together',
      String.raw`email.replace(/^([^+@]+)\+[^@]*@/, '$1@')`,
      'email',
      'many invitations at once send three mails a day to a mailbox, at however many of its addresses',
    ],
    [
      'mails that an account causes are counted',
      'within(noticeItemKey.mailsInDay(accountId, dayText), MAILS_IN_DAY.account),',
      '',
      'many invitations at once send fifty a day by an account, whichever of its owners invites',
    ],
    [
      'one attempt sends a mail',
      "if (earlier && nowMs < earlier.takenUntilMs) return 'busy';",
      '',
      'who is invited gets none from another attempt while SES has not answered, and one if the sender has died meanwhile',
    ],
    [
      'a mail that was sent is not sent again',
      "if (earlier?.isSent) return 'sent';",
      '',
      'who is invited gets a mail with a link to that invitation, and a repeat of its message sends no second one',
    ],
    [
      'a token of a stop was made here',
      'return isOurs ? { hash, scope: scope as MailScope } : undefined;',
      'return { hash, scope: scope as MailScope };',
      'a token allows nothing else than what it was made for',
    ],
  ]),
  ...among('test/notices/daily-run-crashes.test.ts', [
    [
      'a run that died is gone on with',
      'if (after === END) return;',
      'if (after === END) return; await noteRun(store, key, END);',
      'an hourly run that ends before it is sent, of whichever call, loses nothing, and nothing is told under another id',
    ],
  ]),
  ...among('test/notices/secret-change.test.ts', [
    [
      'what is known of an address outlives the secret of the stage',
      'if (await resealAddressKey(dependencies.store))',
      'if (false)',
      'a change of the secret of the stage ends no stop, no bounce and no link that stops mails',
    ],
    [
      'the key of addresses is made once',
      'Item: { ...KEY, sealed }, ConditionExpression: ABSENT,',
      'Item: { ...KEY, sealed },',
      'the key of addresses is one, whoever makes it first',
    ],
  ]),
  ...among('test/notices/owner-mails.test.ts', [
    [
      'what follows in the hour waits',
      'if (stored && nowMs < stored.untilMs) {',
      'if (stored && nowMs < 0) {',
      'an owner has the first notice of a kind at once, and those of the next hour in one mail',
    ],
    [
      'the mail of an hour that was not sent is sent before the next one',
      'if (stored && !stored.isSent) return mailOf(fold, stored);',
      '',
      'an owner is told when SES takes it again, also what came meanwhile',
    ],
    [
      'of 80 % nobody is told after 100',
      'return notice && !(await isOvertaken(store, notice)) ? notice : undefined;',
      'return notice;',
      'an owner is not told of 80 % after the same quota was used up',
    ],
    [
      'what was told in an earlier hour is not told again',
      "if (told) return 'told';",
      '',
      'an owner is told of nothing again where the stream or the queue gives it once more, hours later',
    ],
  ]),
];
