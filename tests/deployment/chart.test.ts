import { describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { QUEUE_PREFIX, RUN_QUEUE } from '@deckhand/queue';
import { readSettings } from '@deckhand/runtime';
import { chartSettings, namesRead, settingsOf } from '../harness/deployment/environment.ts';
import { repositoryFile, repositoryPath } from '../harness/deployment/repository-file.ts';
import type { ScaledObject } from '../harness/helm/autoscaler.ts';
import { manifestFaults } from '../harness/helm/manifest-faults.ts';
import { type Manifest, renderChart, renderFiles, ValuesError } from '../harness/helm/render-chart.ts';

const CHART = repositoryPath('infra/helm/deckhand');
const APPS = ['api', 'worker'] as const;

const VALUES_SCHEMA = 'infra/helm/deckhand/values.schema.json';
/** Definitions of the schema of values that list settings. */
const SETTING_LISTS = [
  ['settingOfBoth', chartSettings().both],
  ['settingOfApi', chartSettings().api],
  ['settingOfWorker', chartSettings().worker],
] as const;

/** Returns the schema of values with the `enum` of one definition replaced. */
function withEnum(schema: string, definition: string, names: readonly string[]): string {
  const list = new RegExp(`("${definition}": \\{[^}]*"enum": )\\[[^\\]]*\\]`);
  return schema.replace(
    list,
    (_, before: string) => `${before}[\n        ${names.map((name) => `"${name}"`).join(',\n        ')}\n      ]`,
  );
}

const SECRETS = {
  DATABASE_URL: 'postgresql://deckhand:secret@db:5432/deckhand',
  REDIS_URL: 'rediss://redis:6379',
  ENCRYPTION_KEY: 'k'.repeat(32),
};
const WITH_SECRETS = { secrets: { values: SECRETS } };
const STORES = [{ to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ port: 5432 }, { port: 6379 }] }];

/** Everything that can be turned on. */
const EVERYTHING = {
  fullnameOverride: 'automation',
  image: { repository: 'registry.example.com/deckhand', tag: '1.2.3', pullSecrets: ['registry'] },
  secrets: { existingSecret: 'automation-secrets' },
  settings: { OUTPUT_STORE: 's3', S3_BUCKET: 'outputs' },
  migrations: { databaseUrlKey: 'MIGRATIONS_DATABASE_URL' },
  api: {
    settings: { PUBLIC_URL: 'https://deckhand.example.com', LOG_LEVEL: 'warn', WEBHOOK_MAX_BYTES: '10485760' },
    autoscaling: { enabled: true },
    service: { annotations: { a: 'b' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '10m' },
      hosts: ['deckhand.example.com'],
      tls: [{ secretName: 'tls', hosts: ['deckhand.example.com'] }],
    },
    podAnnotations: { a: 'b' },
    nodeSelector: { pool: 'api' },
    tolerations: [{ key: 'pool', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
  },
  worker: {
    graceSeconds: 300,
    keda: { enabled: true, redis: { address: 'redis:6379', tls: true, usernameKey: 'USER', passwordKey: 'PASSWORD' } },
  },
  metrics: { podMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  networkPolicy: {
    enabled: true,
    stores: STORES,
    apiFrom: [{ podSelector: {} }],
    metricsFrom: [{ namespaceSelector: {} }],
    apiInternet: true,
    apiEgress: [{ ports: [{ port: 443, protocol: 'TCP' }] }],
    workerEgress: [{ to: [{ ipBlock: { cidr: '10.9.0.0/16' } }] }],
  },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/outputs' } },
};

/** What the tests ask of an app's Deployment. */
interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly [
          {
            readonly image: string;
            readonly env: readonly { readonly name: string; readonly value: string }[];
            readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
            readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
            readonly securityContext: Readonly<Record<string, unknown>>;
          },
        ];
      };
    };
  };
}

interface NetworkPolicy extends Manifest {
  readonly spec: {
    readonly ingress?: readonly unknown[];
    readonly egress: readonly { readonly to?: unknown; readonly ports?: readonly { readonly port: unknown }[] }[];
  };
}

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

const findDeployment = (manifests: readonly Manifest[], name: string) =>
  find(manifests, 'Deployment', name) as Deployment;

const podOf = (deployment: Deployment) => deployment.spec.template.spec;

describe('the chart', () => {
  it.each([
    ['with as little as possible', WITH_SECRETS],
    ['with everything', EVERYTHING],
    [
      'without migrations, budgets and an account of its own',
      {
        ...WITH_SECRETS,
        migrations: { enabled: false },
        podDisruptionBudget: { enabled: false },
        serviceAccount: { create: false },
      },
    ],
  ])('%s, makes manifests that Kubernetes knows in every field', (_, values) => {
    const manifests = renderChart(CHART, values);
    for (const manifest of manifests) {
      expect([manifest.kind, manifest.metadata.name, manifestFaults(manifest)]).toEqual([
        manifest.kind,
        manifest.metadata.name,
        [],
      ]);
    }
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('would not pass with a field that is misspelt, of another type or missing', () => {
    const deployment = find(renderChart(CHART, WITH_SECRETS), 'Deployment', 'deckhand-api');
    const change = (from: string, to: string): string[] =>
      manifestFaults(JSON.parse(JSON.stringify(deployment).replace(from, to)) as Manifest);
    expect(change('"periodSeconds"', '"periodSecond"')).not.toEqual([]);
    expect(change('"periodSeconds":2', '"periodSeconds":"2"')).not.toEqual([]);
    expect(change('"selector"', '"selectors"')).not.toEqual([]);
    expect(change('"cpu":"500m"', '"cpu":"500 m"')).not.toEqual([]);
  });

  it('makes everything that can be turned on', () => {
    const kinds = new Set(renderChart(CHART, EVERYTHING).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'ScaledObject',
      'Service',
      'ServiceAccount',
      'TriggerAuthentication',
    ]);
  });

  it('accepts every setting of the apps that is neither secret nor decided by other values', () => {
    const schema = repositoryFile(VALUES_SCHEMA);
    const current = SETTING_LISTS.reduce((text, [list, names]) => withEnum(text, list, names), schema);
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(repositoryPath(VALUES_SCHEMA), current);
    // UPDATE_DOCS=1 writes the lists into the schema.
    else expect(schema).toBe(current);
  });

  it.each(Object.keys(SECRETS))('is refused without %s', (name) => {
    const values = Object.fromEntries(Object.entries(SECRETS).filter(([key]) => key !== name));
    expect(() => renderChart(CHART, { secrets: { values } })).toThrow(`${name} is needed`);
  });

  it.each([
    ['a setting that the app does not read', { api: { settings: { WORKER_CONCURRENCY: '5' } } }],
    ['a setting that is not text', { worker: { settings: { WORKER_CONCURRENCY: 5 } } }],
    ['a value that is misspelt', { worker: { replica: 2 } }],
    ['a grace that a worker does not take', { worker: { graceSeconds: 3_600 } }],
  ])('refuses %s', (_, values) => {
    expect(() => renderChart(CHART, { ...WITH_SECRETS, ...values })).toThrow(ValuesError);
  });

  it('asks for what it cannot know', () => {
    const render = (values: object) => () => renderChart(CHART, { ...WITH_SECRETS, ...values });
    expect(render({ worker: { keda: { enabled: true } } })).toThrow('worker.keda.redis.address');
    expect(render({ networkPolicy: { stores: [] } })).toThrow('networkPolicy.stores');
    expect(render({ api: { ingress: { enabled: true } } })).toThrow('api.ingress.hosts');
  });

  it('says at the end how to continue', () => {
    expect(renderFiles(CHART, WITH_SECRETS).get('NOTES.txt')).toContain('/setup#');
  });
});

describe.each(APPS)('the %s of the chart', (app) => {
  const deployment = findDeployment(renderChart(CHART, WITH_SECRETS), `deckhand-${app}`);
  const [container] = podOf(deployment).containers;
  const settings = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

  it('is given settings that it takes, and none that nobody reads', () => {
    expect(() => readSettings(settingsOf(app), { ...settings, ...SECRETS })).not.toThrow();
    expect(namesRead(app)).toEqual(expect.arrayContaining(Object.keys(settings)));
    expect(container.env).toHaveLength(Object.keys(settings).length);
  });

  it('can be given every setting that is neither secret nor decided by other values', () => {
    const names = [...chartSettings().both, ...chartSettings()[app]];
    const given = Object.fromEntries(names.map((name) => [name, `given ${name}`]));
    const rendered = findDeployment(
      renderChart(CHART, { ...WITH_SECRETS, [app]: { settings: given } }),
      `deckhand-${app}`,
    );
    const values = podOf(rendered).containers[0].env.map(({ name, value }) => [name, value]);
    expect(values).toEqual(expect.arrayContaining(Object.entries(given)));
    expect(new Set(values.map(([name]) => name)).size).toBe(values.length);
  });

  it('reads its secrets from the Secret that was named', () => {
    expect(container.envFrom).toEqual([{ secretRef: { name: 'deckhand' } }]);
    const given = findDeployment(renderChart(CHART, EVERYTHING), `automation-${app}`);
    expect(podOf(given).containers[0].envFrom).toEqual([{ secretRef: { name: 'automation-secrets' } }]);
    expect(JSON.stringify(deployment)).not.toContain(SECRETS.ENCRYPTION_KEY);
  });

  it('is replaced when its secrets change', () => {
    const changed = { secrets: { values: { ...SECRETS, ENCRYPTION_KEY: 'l'.repeat(32) } } };
    const other = findDeployment(renderChart(CHART, changed), `deckhand-${app}`);
    expect(other.spec.template.metadata.annotations).not.toEqual(deployment.spec.template.metadata.annotations);
  });

  it('runs as nobody in particular, in a file system that it cannot write', () => {
    expect(podOf(deployment).securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('is found by its labels, and nothing else is', () => {
    const manifests = renderChart(CHART, EVERYTHING);
    const labels = deployment.spec.selector.matchLabels;
    expect(deployment.spec.template.metadata.labels).toMatchObject(labels);
    expect(labels['app.kubernetes.io/component']).toBe(app);
    for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) {
      const { spec } = find(manifests, kind, `automation-${app}`) as Manifest & { spec: Record<string, unknown> };
      expect(spec.selector ?? spec.podSelector).toEqual({ matchLabels: labels });
    }
  });

  it('leaves its number to what scales it', () => {
    expect(deployment.spec.replicas).toBe(2);
    const scaled = findDeployment(renderChart(CHART, EVERYTHING), `automation-${app}`);
    expect(scaled.spec.replicas).toBeUndefined();
  });
});

describe('the API of the chart', () => {
  it('believes a proxy with a private address where there is an ingress, unless it is told of others', () => {
    const trusted = (api: object) => {
      const { containers } = podOf(findDeployment(renderChart(CHART, { ...WITH_SECRETS, api }), 'deckhand-api'));
      return containers[0].env.filter(({ name }) => name === 'TRUSTED_PROXIES').map(({ value }) => value);
    };
    const ingress = { enabled: true, hosts: ['deckhand.example.com'] };
    expect(trusted({})).toEqual([]);
    expect(trusted({ ingress })).toEqual(['uniquelocal']);
    expect(trusted({ ingress, settings: { TRUSTED_PROXIES: '10.9.8.7' } })).toEqual(['10.9.8.7']);
  });
});

describe('workers of the chart', () => {
  it('are killed only once their own grace, and what they do afterwards, are over', () => {
    const worker = findDeployment(renderChart(CHART, EVERYTHING), 'automation-worker');
    const { containers, terminationGracePeriodSeconds } = podOf(worker);
    const graceMs = Number(containers[0].env.find(({ name }) => name === 'WORKER_GRACE_MS')?.value);
    expect(graceMs).toBe(300_000);
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(graceMs + 10_000);
  });

  it('may reach the stores and the internet, and no private address', () => {
    const manifests = renderChart(CHART, { ...WITH_SECRETS, networkPolicy: { stores: STORES } });
    const policy = (app: string) => (find(manifests, 'NetworkPolicy', `deckhand-${app}`) as NetworkPolicy).spec;
    const internet = policy('worker').egress.at(-1);
    expect(policy('worker').ingress ?? []).toEqual([]);
    expect(policy('worker').egress).toContainEqual(STORES[0]);
    expect(internet?.to).toEqual([
      {
        ipBlock: {
          cidr: '0.0.0.0/0',
          except: ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
        },
      },
    ]);
    expect(policy('api').egress).not.toContainEqual(internet);
    const apiEgress = [{ ports: [{ port: 443, protocol: 'TCP' }] }];
    const open = renderChart(CHART, { ...WITH_SECRETS, networkPolicy: { stores: STORES, apiEgress } });
    const ofApi = (find(open, 'NetworkPolicy', 'deckhand-api') as NetworkPolicy).spec;
    expect(ofApi.egress).toEqual([...policy('api').egress, ...apiEgress]);
    const apiInternet = renderChart(CHART, { ...WITH_SECRETS, networkPolicy: { stores: STORES, apiInternet: true } });
    const ofOpenApi = (find(apiInternet, 'NetworkPolicy', 'deckhand-api') as NetworkPolicy).spec;
    expect(ofOpenApi.egress).toEqual([...policy('api').egress, internet]);
    expect(policy('migrate').ingress ?? []).toEqual([]);
  });
});

describe('the scaler of the chart', () => {
  const render = (keda: object) =>
    renderChart(CHART, { secrets: { existingSecret: 'deckhand' }, worker: { keda: { enabled: true, ...keda } } });
  const SENTINELS = { kind: 'sentinel', address: 's1:26379,s2:26379', sentinelMaster: 'mymaster', databaseIndex: 3 };
  const CLUSTER = { kind: 'cluster', address: 'n1:6379,n2:6379', tls: true };
  const LIST = { listName: '{deckhand}:executions:prioritized', listLength: '100' };

  it.each([
    ['redis', { address: 'redis:6379' }, { address: 'redis:6379', databaseIndex: '0', enableTLS: 'false' }],
    [
      'redis-sentinel',
      SENTINELS,
      { addresses: 's1:26379,s2:26379', sentinelMaster: 'mymaster', databaseIndex: '3', enableTLS: 'false' },
    ],
    ['redis-cluster', CLUSTER, { addresses: 'n1:6379,n2:6379', enableTLS: 'true' }],
  ])('counts waiting jobs by the trigger %s', (type, redis, metadata) => {
    const manifests = render({ redis });
    for (const manifest of manifests) expect(manifestFaults(manifest)).toEqual([]);
    const { spec } = find(manifests, 'ScaledObject', 'deckhand-worker') as ScaledObject;
    expect(spec.triggers[0]).toEqual({ type, metadata: { ...metadata, ...LIST } });
  });

  it('counts them in the list that the queue has', () => {
    expect(LIST.listName).toBe(`${QUEUE_PREFIX}:${RUN_QUEUE}:prioritized`);
  });

  it('reads the passwords of Redis, its sentinels and PostgreSQL from the Secret', () => {
    const keys = {
      usernameKey: 'USER',
      passwordKey: 'PASSWORD',
      sentinelUsernameKey: 'S_USER',
      sentinelPasswordKey: 'S_PASSWORD',
    };
    const parameters = (manifests: readonly Manifest[], name: string) => {
      const { spec } = find(manifests, 'TriggerAuthentication', name) as Manifest & {
        spec: { secretTargetRef: readonly { parameter: string; name: string; key: string }[] };
      };
      return spec.secretTargetRef.map(({ parameter, name, key }) => [parameter, name, key]);
    };
    const manifests = render({ redis: { ...SENTINELS, ...keys } });
    expect(parameters(manifests, 'deckhand-worker')).toEqual([
      ['username', 'deckhand', 'USER'],
      ['password', 'deckhand', 'PASSWORD'],
      ['sentinelUsername', 'deckhand', 'S_USER'],
      ['sentinelPassword', 'deckhand', 'S_PASSWORD'],
    ]);
    expect(parameters(render({ redis: { ...CLUSTER, ...keys } }), 'deckhand-worker')).toHaveLength(2);
    expect(parameters(manifests, 'deckhand-worker-database')).toEqual([['connection', 'deckhand', 'DATABASE_URL']]);
    expect(() => parameters(render({ redis: CLUSTER }), 'deckhand-worker')).toThrow('there is no');
  });

  it('refuses what the kind of Redis does not have', () => {
    expect(() => render({ redis: { ...SENTINELS, sentinelMaster: '' } })).toThrow('sentinelMaster is needed');
    expect(() => render({ redis: { ...CLUSTER, databaseIndex: 1 } })).toThrow('databaseIndex must be 0');
    expect(() => render({ redis: { kind: 'replica', address: 'redis:6379' } })).toThrow(ValuesError);
  });
});

describe('network policies of the chart', () => {
  const policies = (values: object = {}) =>
    renderChart(CHART, { ...WITH_SECRETS, ...values }).filter(({ kind }) => kind === 'NetworkPolicy');

  it('are there unless they are turned off, and let nobody but the stores be reached from the API', () => {
    const names = policies().map(({ metadata }) => metadata.name);
    expect(names).toEqual(['deckhand-api', 'deckhand-worker', 'deckhand-migrate']);
    const api = find(policies(), 'NetworkPolicy', 'deckhand-api') as NetworkPolicy;
    expect(api.spec.egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port))).toEqual([53, 53, 5432, 6379]);
    expect(policies({ networkPolicy: { enabled: false } })).toEqual([]);
  });

  it('let Prometheus in where a PodMonitor asks it to come, and else nobody', () => {
    const ingressOf = (values: object) =>
      (find(policies(values), 'NetworkPolicy', 'deckhand-worker') as NetworkPolicy).spec.ingress ?? [];
    expect(ingressOf({})).toEqual([]);
    const podMonitor = { enabled: true };
    const everyPod = [{ ports: [{ port: 'metrics' }], from: [{ namespaceSelector: {} }] }];
    expect(ingressOf({ metrics: { podMonitor } })).toEqual(everyPod);
    const metricsFrom = [{ podSelector: {} }];
    expect(ingressOf({ metrics: { podMonitor }, networkPolicy: { metricsFrom } })).toEqual([
      { ports: [{ port: 'metrics' }], from: metricsFrom },
    ]);
  });
});

describe('migrations of the chart', () => {
  it('grant a role of the apps what it needs where one is named', () => {
    const migrations = { databaseUrlKey: 'OWNER_URL', runtimeRole: 'deckhand_app' };
    const secrets = { values: { ...SECRETS, OWNER_URL: 'postgresql://owner@postgres/deckhand' } };
    const job = (values: object) => JSON.stringify(find(renderChart(CHART, { ...values }), 'Job', 'deckhand-migrate'));
    expect(job({ secrets, migrations })).toContain('{"name":"RUNTIME_DATABASE_ROLE","value":"deckhand_app"}');
    expect(job(WITH_SECRETS)).not.toContain('RUNTIME_DATABASE_ROLE');
  });

  it('are over before anything else is there, with a Secret of their own where the chart makes it', () => {
    const hooks = renderChart(CHART, WITH_SECRETS)
      .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade')
      .map(({ kind, metadata }) => [kind, metadata.name, metadata.annotations?.['helm.sh/hook-weight']]);
    expect(hooks).toEqual([
      ['Secret', 'deckhand-migrate', '-2'],
      ['Job', 'deckhand-migrate', '-1'],
      ['NetworkPolicy', 'deckhand-migrate', '-3'],
    ]);
  });

  it('go by another URL where one is given', () => {
    const job = JSON.stringify(find(renderChart(CHART, EVERYTHING), 'Job', 'automation-migrate'));
    expect(job).toContain('{"secretKeyRef":{"name":"automation-secrets","key":"MIGRATIONS_DATABASE_URL"}}');
  });
});
