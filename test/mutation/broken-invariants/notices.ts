import type { BrokenBy } from './invariant.ts';

/** What people are told, and how often. */
export const NOTICES: BrokenBy = {
  'test/notices/thresholds.test.ts': {
    'the threshold of a quota is a share of a limit that held, also when it is raised before call 2 of a look': [
      [
        'const units = requireNumber(await readQuotaUsed(store, projectId, period)); const project = await readOpenProject(store, projectId);',
        'const project = await readOpenProject(store, projectId); const units = requireNumber(await readQuotaUsed(store, projectId, period));',
      ],
    ],
    'the threshold of a quota is not told because a layout lends: the counter holds all, little is used': [
      [
        'const units = requireNumber(await readQuotaUsed(store, projectId, period));',
        'const units = (await readItem<CounterItem>(store, itemKey.quota(projectId, period)))?.units ?? 0;',
      ],
    ],
    'the cap of a key of a successor is found by a few reads, however many keys the project has': [
      [
        "const works = found === 'deleted' ? await searched(store, cap) : found;",
        'const works = await searched(store, cap);',
      ],
    ],
    'the threshold of a quota that a slow look has seen is not told after a higher one': [
      ['Item, ConditionExpression: ABSENT', 'Item', 'markReached'],
    ],
    'the threshold of a quota of 100 % alone is told where both were reached between two looks': [
      ['...(i < reached.length - 1 && { superseded: true }),', ''],
    ],
  },
  'test/notices/records.test.ts': {
    'a stream with a poison record without its new image goes on with the others, and the platform team is told': [
      [
        "reportSkipped(telemetry, 'a record', details, error); return [];",
        "reportSkipped(telemetry, 'a record', details, error); throw error;",
      ],
    ],
    'a stream with a record that fails by a defect is given again for 15 minutes, and then left out': [
      ['if (isDefect && store.clock.now() - madeAtMs >= DEFECT_MS)', 'if (madeAtMs < 0)'],
    ],
    'a stream with a record that fails by a queue that is down is given again for as long as it is': [
      ['error instanceof QueueUnavailableError ||', ''],
    ],
    'a stream with a counter that is no number any more goes on with the others, as the daily run does': [
      ['if (isTransient(error)) throw error;', 'throw error;'],
    ],
    'a stream is given again from the record that failed, so nothing is lost': [
      ['return { batchItemFailures: [{ itemIdentifier: sequenceNumber }] };', 'continue;'],
    ],
  },
  'test/notices/hostile-endpoints.test.ts': {
    'an address that is not public beside a public one is called no more than that one': [
      ['addresses.every(isAllowed)', 'addresses.some(isAllowed)'],
    ],
  },
  'test/notices/deliveries.test.ts': {
    'a delivery is made once, however often and at whatever moment its message comes': [
      [
        "delivery ? '#attempts = :before AND #state = :state' : 'attribute_not_exists(#attempts)'",
        "delivery ? '#attempts = :before AND #state = :state' : 'attribute_not_exists(#attempts) OR #attempts = #attempts'",
      ],
      ["if (delivery && delivery.state !== 'waiting') return;", ''],
    ],
    'a delivery is signed under both secrets for a day after a rotation, and never longer': [
      [
        'nowMs < previousUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion]',
        'previousUntilMs > 0 ? [secretVersion, secretVersion - 1] : [secretVersion]',
      ],
    ],
    'an endpoint that has another address meanwhile is not switched off for the failures of the old one': [
      ['failed.url !== url || !isFailingAsBefore(failed, failingSinceMs)', 'failingSinceMs === null'],
    ],
    'an endpoint to which something arrived meanwhile is not switched off for what failed before, though it fails again':
      [['failingSinceMs !== undefined && failingSinceMs <= before', 'failingSinceMs !== undefined']],
    'an endpoint to which something arrived is not failing any more, also where the process died right after it was noted':
      [
        [
          'if (failingSinceMs !== undefined) { await replaceUnlessStale',
          'if (failingSinceMs === null) { await replaceUnlessStale',
        ],
      ],
    'an endpoint that failed days ago is not switched off by a first try that fails, but where its delivery is given up':
      [['if (!(isGivenUp && isTooLong) && status !== GONE) return;', 'if (!isTooLong && status !== GONE) return;']],
  },
  'test/portal/mails.test.ts': {
    'the team is told at once that a member wants no mails of the account, and that they want them again': [
      ['if (hash !== undefined && stops.has(hash))', "if (state === 'stopped')"],
    ],
  },
  'test/notices/invitation-mails.test.ts': {
    'an address that wants no invitations gets none, until it wants them again': [
      ["scope === 'invitations' ? mailboxHash(key, email) : addressHash(key, email)", 'addressHash(key, email)'],
    ],
    'many invitations at once send three mails a day to an address, from all inviters': [
      ['within(noticeItemKey.address(mailbox, `DAY#${dayText}`), MAILS_IN_DAY.address),', ''],
    ],
    'many invitations at once send three mails a day to a mailbox, at however many of its addresses': [
      [String.raw`email.replace(/^([^+@]+)\+[^@]*@/, '$1@')`, 'email'],
    ],
    'many invitations at once send fifty a day by an account, whichever of its owners invites': [
      ['within(noticeItemKey.mailsInDay(accountId, dayText), MAILS_IN_DAY.account),', ''],
    ],
    'who is invited gets none from another attempt while SES has not answered, and one if the sender has died meanwhile':
      [["if (earlier && nowMs < earlier.takenUntilMs) return 'busy';", '']],
    'who is invited gets a mail with a link to that invitation, and a repeat of its message sends no second one': [
      ["if (earlier?.isSent) return 'sent';", ''],
    ],
    'a token allows nothing else than what it was made for': [
      [
        'return isOurs ? { hash, scope: scope as MailScope } : undefined;',
        'return { hash, scope: scope as MailScope };',
      ],
    ],
  },
  'test/notices/delivery-races.test.ts': {
    'while an attempt is under way, another message of its delivery makes none, and comes back when the next is due': [
      ['nextAttemptMs: nowMs + (pauseAfter(attempts, 0) ?? MET_SECONDS * 1_000)', 'nextAttemptMs: nowMs'],
    ],
    'an answer of 500 that comes after that of a later attempt changes nothing of the delivery': [
      ['seen: { attempts }, after: { state, status', 'seen: {}, after: { state, status'],
    ],
  },
  'test/notices/daily-run-crashes.test.ts': {
    'an hourly run that ends before its answer is seen, of whichever call, loses nothing, and nothing is told under another id':
      [['if (parts.length > 0) await queues.webhooks.send(parts);', '']],
  },
  'test/notices/secret-change.test.ts': {
    'a change of the secret of the stage ends no stop, no bounce and no link that stops mails': [
      ['if (await resealAddressKey(dependencies.store))', 'if (false)'],
    ],
    'the key of addresses is one, whoever makes it first': [
      ['Item: { ...KEY, sealed }, ConditionExpression: ABSENT,', 'Item: { ...KEY, sealed },'],
    ],
  },
  'test/notices/owner-mails.test.ts': {
    'an owner has the first notice of a kind at once, and those of the next hour in one mail': [
      ['if (stored && nowMs < stored.untilMs) {', 'if (stored && nowMs < 0) {'],
    ],
    'an owner is told when SES takes it again, also what came meanwhile': [
      ['if (stored && !stored.isSent) return mailOf(fold, stored);', ''],
    ],
    'an owner is not told of 80 % after the same quota was used up': [
      ['return notice && !(await isSuperseded(store, notice)) ? notice : undefined;', 'return notice;'],
    ],
    'an owner is told of nothing again where the stream or the queue gives it once more, hours later': [
      ["if (told) return 'told';", ''],
    ],
  },
};
