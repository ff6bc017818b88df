import { ensureDebianPostgres } from '../debian-postgres.ts';
import { ensurePgBouncer } from '../pgbouncer.ts';
import { installMcpConformance } from './mcp-conformance.ts';
import type { Preparation } from './programs.ts';
import { installRemoteServers } from './remote-servers.ts';

/** Runs of Jest, or the mutants, that a part consists of. */
export type PartStep =
  | {
      /** Arguments of Jest. */
      readonly jest: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** Installs what the tests need beside the programs of the gate. */
      readonly prepare?: () => Promise<Preparation>;
    }
  | { readonly mutants: 'all' };

/** A part of the full run, which can run alone: `npm run test:full -- --part <name>`. */
export interface TestPart {
  readonly name: string;
  /** What it tests, in a line of docs/testing.md. */
  readonly about: string;
  readonly steps: readonly PartStep[];
  /** Paths whose change can break what it tests. */
  readonly reachedBy: RegExp;
}

/** The Jest projects of `npm test`. */
export const GATE_PROJECTS = ['unit', 'component', 'integration', 'journeys'] as const;

/** Paths of the product; of each, the given packages and apps. */
const sources = (...folders: readonly string[]): RegExp =>
  new RegExp(`^(${folders.join('|')})(/|$)|^pnpm-lock\\.yaml$|^tests/(harness|runner)/`);

/** Everything that runs in the API and in workers. */
const SERVER = [
  'apps/api',
  'apps/worker',
  'packages/(connectors|contracts|db|engine|nodes|outputs|queue|runtime)',
  'prisma',
];

/** The end-to-end tests of a folder. */
const folder = (name: string, prepare?: () => Promise<Preparation>): PartStep => ({
  jest: ['--selectProjects', 'e2e', '--testPathPatterns', `e2e/${name}/`],
  ...(prepare && { prepare }),
});

/** Installs PostgreSQL of Debian, which can replicate, unlike the one of npm start. */
async function debianPostgres(env: (path: string) => Readonly<Record<string, string>>): Promise<Preparation> {
  const found = await ensureDebianPostgres();
  return 'missing' in found ? found : env(found.path);
}

/**
 * Every part, in the order of the full run. Each folder of tests/e2e is a part, except `journeys`, which `npm test`
 * runs. A part should take less than ten minutes on two cores, so that CI finds time for it.
 */
export const PARTS: readonly TestPart[] = [
  {
    name: 'random',
    about: 'property tests and fuzzers with more cases and random seeds',
    steps: [
      {
        jest: [
          ...['--selectProjects', 'unit', 'integration', 'e2e', '--testPathPatterns'],
          'tests/engine/(model|reuse-records)',
          'integration/(api/lock-order|executions/(families|lock-order)|worker/woken-at-once)',
          'e2e/random/',
        ],
        env: { TEST_FULL: '1' },
      },
    ],
    reachedBy: sources(
      'apps/api',
      'packages/(contracts|engine|nodes|db|testing)',
      'tests/(engine|integration|e2e/random)',
    ),
  },
  {
    name: 'chaos',
    about: 'workers and APIs that are killed, frozen or blocked again and again',
    steps: [folder('chaos')],
    reachedBy: sources(...SERVER, 'tests/e2e/chaos'),
  },
  {
    name: 'faults',
    about: 'statements that fail, are slow or lose their response; stores that are late or cut off',
    steps: [folder('faults', () => debianPostgres(() => ({})))],
    reachedBy: sources(...SERVER, 'tests/e2e/faults'),
  },
  {
    name: 'hostile',
    about: 'workflows, data and requests that were chosen to hurt others; nothing secret is shown',
    steps: [folder('hostile')],
    reachedBy: sources(...SERVER, 'packages/import-n8n', 'tests/e2e/hostile'),
  },
  {
    name: 'walk',
    about: 'a random walk of many clients, whose history is checked',
    steps: [folder('walk')],
    reachedBy: sources(...SERVER, 'tests/e2e/walk'),
  },
  {
    name: 'clocks',
    about: 'processes whose clocks are wrong',
    steps: [folder('clocks')],
    reachedBy: sources('apps/worker', 'packages/(db|queue|runtime)', 'tests/e2e/clocks'),
  },
  {
    name: 'availability',
    about: 'fail-over to a replica, reads from one, and a primary that becomes silent',
    steps: [folder('availability', () => debianPostgres(() => ({ FAILOVER_TEST: 'true' })))],
    reachedBy: sources('apps/api', 'apps/worker', 'packages/(db|queue|runtime)', 'prisma', 'tests/e2e/availability'),
  },
  {
    name: 'versions',
    about: 'migrations, rolling restarts, and workers of another version',
    steps: [folder('versions')],
    reachedBy: sources('apps/api', 'apps/worker', 'packages/(contracts|db|queue)', 'prisma', 'tests/e2e/versions'),
  },
  {
    name: 'stores',
    about:
      'PgBouncer, the PostgreSQL of Debian, Redis behind sentinels and as a cluster, TLS; statements planned once; OpenSSH and an S3 server of others',
    steps: [
      folder('stores', installRemoteServers),
      {
        jest: ['--selectProjects', 'integration', '--testPathPatterns', 'integration/worker/(timers|waits)'],
        prepare: async () => {
          const found = await ensurePgBouncer();
          return 'missing' in found ? found : { TEST_POOLER: 'pgbouncer' };
        },
      },
      {
        jest: [
          ...['--selectProjects', 'integration', '--testPathPatterns'],
          'integration/(executions/(accept|fences|recover|maintenance|concurrency)|schedules/clock)',
        ],
        prepare: () => debianPostgres((path) => ({ TEST_POSTGRES_BINARIES: path })),
      },
    ],
    reachedBy: sources(
      'apps/worker',
      'packages/(db|nodes|outputs|queue|runtime)',
      'prisma',
      'infra/local',
      'tests/e2e/stores',
    ),
  },
  {
    name: 'queue',
    about: 'jobs: who takes them, in which order, and how they are found again',
    steps: [folder('queue')],
    reachedBy: sources('apps/worker', 'packages/(db|queue|runtime)', 'prisma', 'tests/e2e/queue'),
  },
  {
    name: 'retention',
    about: 'how data ends: retention, partitions, archive, erasure, and deletion of workspaces',
    steps: [folder('retention')],
    reachedBy: sources('apps/(api|worker)', 'packages/(contracts|db|nodes|outputs)', 'prisma', 'tests/e2e/retention'),
  },
  {
    name: 'clients',
    about: 'the SDK, a client that is generated, and the requests of all guides',
    steps: [folder('clients')],
    reachedBy: sources(...SERVER, 'packages/sdk', 'docs/(guides|openapi.json)', 'tests/(clients|e2e/clients)'),
  },
  {
    name: 'deployment',
    about:
      'images, packages that npm packs, metrics, dashboards, alerts, traces, shutdown, the conformance suite of MCP',
    steps: [folder('deployment', installMcpConformance)],
    reachedBy: sources(
      ...['apps/(api|cli|ops|worker)', 'packages/(contracts|engine|nodes|queue|runtime|sdk|terminal|testing)'],
      ...['apps/console/src/features/workflows', 'docs/openapi.json', 'examples', 'infra', 'bench'],
      'tests/e2e/deployment',
    ),
  },
  {
    name: 'commands',
    about: "the users' and the operators' commands",
    steps: [folder('(cli|operations)')],
    reachedBy: sources(
      ...['apps/api', 'apps/cli', 'apps/ops', 'packages/(contracts|db|sdk|terminal|testing|import-n8n)', 'examples'],
      'tests/e2e/(cli|operations)',
    ),
  },
  {
    name: 'console',
    about: 'what of the console needs a real browser, beside the journeys of npm test',
    steps: [{ jest: ['--selectProjects', 'e2e', '--testPathPatterns', 'e2e/console/[^/]+$'] }],
    reachedBy: sources('apps/console', 'apps/api', 'packages/contracts', 'packages/engine', 'tests/e2e/console'),
  },
  {
    name: 'mutants',
    about: 'guards that are removed one at a time: their tests must fail',
    steps: [{ mutants: 'all' }],
    reachedBy: sources(...SERVER, 'packages/import-n8n', 'tests/(mutants|integration|engine)'),
  },
];
