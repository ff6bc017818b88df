import type { LeaseClaim, LeaseState } from '@deckhand/queue';
import { expect, it } from '@jest/globals';
import { type LeaseCommand, type LeaseEvent, type LeaseRole, nextLeaseRole } from './maintenance-lease.ts';

const NOW = 100_000;
const UNTIL = NOW + 2_500;
const renewal = (clockOffsetMs = 0): LeaseEvent => ({ kind: 'renewalDue', clockOffsetMs });
const claimed = (owner: LeaseState, claim: LeaseClaim = 'eager', askedAt = NOW): LeaseEvent => ({
  kind: 'leaseClaimed',
  claim,
  owner,
  askedAt,
});
const placed = (isDeputy: boolean): LeaseEvent => ({ kind: 'placeClaimed', isDeputy, askedAt: NOW });

const NEWCOMER: LeaseRole = { kind: 'newcomer', since: -Infinity };
const HOLDER: LeaseRole = { kind: 'holder', until: NOW + 1_000 };
const UNWANTED: LeaseRole = { kind: 'holder', until: NOW + 1_000, freeSince: NOW - 9_000 };
const DEPUTY: LeaseRole = { kind: 'deputy', until: NOW + 1_000 };
const OTHER: LeaseRole = { kind: 'other', askedAt: NOW - 1_000 };
const DECLINING: LeaseRole = { kind: 'declining', freeSince: NOW - 4_000 };
const HOLDING_OFF: LeaseRole = { kind: 'holdingOff', until: NOW + 1 };
const RETIRED: LeaseRole = { kind: 'retired' };
/** Roles with the event, what they become, and the request that follows. */
const STEPS: readonly (readonly [string, LeaseRole, LeaseEvent, LeaseRole, LeaseCommand?])[] = [
  ['a newcomer claims the lease', NEWCOMER, renewal(), NEWCOMER, 'eager'],
  ['a newcomer that gets it holds it', NEWCOMER, claimed('held'), { kind: 'holder', until: UNTIL }],
  [
    'a newcomer that is late asks to be a deputy',
    NEWCOMER,
    claimed('taken'),
    { kind: 'other', askedAt: NOW },
    'claimPlace',
  ],
  [
    'a response from before it held off does not count',
    { kind: 'holdingOff', until: NOW },
    claimed('held', 'eager', NOW - 1),
    { kind: 'newcomer', since: NOW },
  ],
  ['a holder renews', HOLDER, renewal(), HOLDER, 'eager'],
  ['a holder stays it for another duration', HOLDER, claimed('held'), { kind: 'holder', until: UNTIL }],
  [
    'a holder whose lease went to another holds it no longer',
    HOLDER,
    claimed('taken'),
    { kind: 'other', askedAt: NOW },
  ],
  [
    'a holder whose lease ended asks after a minute',
    { kind: 'holder', until: NOW },
    renewal(),
    { kind: 'other', askedAt: NOW - 2_500 },
  ],
  ['a deputy claims its place first', DEPUTY, renewal(), DEPUTY, 'claimPlace'],
  ['a deputy that keeps its place claims the lease', DEPUTY, placed(true), { kind: 'deputy', until: UNTIL }, 'eager'],
  ['a deputy stays it while another has the lease', DEPUTY, claimed('taken'), DEPUTY],
  ['a deputy takes a free lease', DEPUTY, claimed('held'), { kind: 'holder', until: UNTIL }],
  ['a deputy that loses its place is one of the others', DEPUTY, placed(false), { kind: 'other', askedAt: NOW }],
  ['others ask for nothing within a minute', OTHER, renewal(), OTHER],
  [
    'others ask for a place after a minute',
    { kind: 'other', askedAt: NOW - 60_000 },
    renewal(),
    { kind: 'other', askedAt: NOW },
    'claimPlace',
  ],
  [
    'others ask with the next renewal once a deputy is missing',
    OTHER,
    { kind: 'deputyMissing' },
    { kind: 'other', askedAt: -Infinity },
  ],
  ['a deputy stays it when one is missing', DEPUTY, { kind: 'deputyMissing' }, DEPUTY],
  ['a clock that is ahead declines', HOLDER, renewal(2_001), { kind: 'declining', freeSince: undefined }, 'declining'],
  [
    'a clock that is behind declines',
    DEPUTY,
    renewal(-2_001),
    { kind: 'declining', freeSince: undefined },
    'declining',
  ],
  ['a clock that is off by 2 s is right', HOLDER, renewal(2_000), HOLDER, 'eager'],
  [
    'it notes since when the lease is free',
    { kind: 'declining', freeSince: undefined },
    claimed('free', 'declining'),
    { kind: 'declining', freeSince: NOW },
  ],
  ['it keeps since when the lease is free', DECLINING, claimed('free', 'declining'), DECLINING],
  [
    'it counts anew once another has the lease',
    DECLINING,
    claimed('taken', 'declining'),
    { kind: 'declining', freeSince: undefined },
  ],
  ['it declines while the lease is free for less than 5 s', DECLINING, renewal(3_000), DECLINING, 'declining'],
  [
    'it claims a lease that is free for 5 s',
    { kind: 'declining', freeSince: NOW - 5_000 },
    renewal(3_000),
    { kind: 'declining', freeSince: NOW - 5_000 },
    'reluctant',
  ],
  [
    'it holds a lease that nobody wanted',
    DECLINING,
    claimed('held', 'reluctant'),
    { kind: 'holder', until: UNTIL, freeSince: NOW - 4_000 },
  ],
  ['it renews a lease that nobody wanted', UNWANTED, renewal(3_000), UNWANTED, 'reluctant'],
  [
    'it keeps claiming a lease that ended',
    { kind: 'holder', until: NOW, freeSince: NOW - 9_000 },
    renewal(3_000),
    { kind: 'declining', freeSince: NOW - 9_000 },
    'reluctant',
  ],
  [
    'it loses the lease to one that wants it',
    UNWANTED,
    claimed('taken', 'reluctant'),
    { kind: 'declining', freeSince: undefined },
  ],
  ['a clock that is right again claims', DECLINING, renewal(), DECLINING, 'eager'],
  ['a clock that is right again holds as others do', UNWANTED, claimed('held'), { kind: 'holder', until: UNTIL }],
  [
    'a failure leaves the lease to others',
    HOLDER,
    { kind: 'maintenanceFailed' },
    { kind: 'holdingOff', until: NOW + 1_500 },
    'declining',
  ],
  ['no renewal while it holds off', HOLDING_OFF, renewal(), HOLDING_OFF],
  ['no response counts while it holds off', HOLDING_OFF, claimed('held'), HOLDING_OFF],
  ['holding off ends', { kind: 'holdingOff', until: NOW }, renewal(), { kind: 'newcomer', since: NOW }, 'eager'],
  ['leaving gives the lease up', HOLDER, { kind: 'leaving' }, RETIRED, 'declining'],
  ['no response counts after leaving', RETIRED, claimed('held'), RETIRED],
  ['no renewal after leaving', RETIRED, renewal(), RETIRED],
];

it.each(STEPS.map(([title, role, event, next, command]) => ({ title, role, event, next, command })))(
  '$title',
  ({ role, event, next, command }) => {
    expect(nextLeaseRole(role, event, NOW)).toEqual({ role: next, command });
  },
);
