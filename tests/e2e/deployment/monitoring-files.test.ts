import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@deckhand/local';
import { parse } from 'yaml';
import {
  chain,
  createWorkflow,
  parseQuery,
  queryFaults,
  type Sample,
  scrape,
  spawnApp,
  startInstance,
  stopAll,
  total,
  until,
} from '../../harness/index.ts';
import { repositoryFile } from '../../harness/deployment/repository-file.ts';
import { serve } from '../../harness/serve.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const { panels } = JSON.parse(repositoryFile('infra/grafana/deckhand.json')) as { panels: readonly Panel[] };
const { groups } = parse(repositoryFile('infra/prometheus/alerts.yml')) as {
  groups: readonly { rules: readonly Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const guide = repositoryFile('docs/observability.md');

/** The query of a panel, with Grafana's own variables replaced. */
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*')] as const),
);

let samples: readonly Sample[];

/** Processes with some of every event: a retry, a failure, a success. */
beforeAll(async () => {
  const instance = await startInstance();
  const env = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
  const port = String(await freePort());
  const [api] = await Promise.all([spawnApp('api', env), spawnApp('worker', { ...env, METRICS_PORT: port })]);
  let calls = 0;
  const receiver = await serve((_request, response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 503 : 200).end();
  });
  const workflowId = await createWorkflow(
    instance,
    chain(
      {
        id: 'call',
        type: 'http',
        parameters: { url: receiver.url },
        retry: { maxAttempts: 2, delayMs: 1, factor: 1, maxDelayMs: 1 },
      },
      { id: 'end', type: 'fail', parameters: { message: 'as it should' } },
    ),
  );
  const answer = await fetch(`${api.url}/api/workflows/${workflowId}/execute`, {
    method: 'POST',
    headers: { 'x-api-key': instance.key },
  });
  expect(answer.status).toBe(202);
  const url = `http://127.0.0.1:${port}`;
  const isDone = (worker: readonly Sample[]) =>
    total(worker, 'deckhand_runs_finished_total', { status: 'failed' }) === 1 &&
    total(worker, 'deckhand_maintenance_task_seconds_count', { task: 'recover_lost_jobs' }) > 0 &&
    total(worker, 'nodejs_gc_duration_seconds_count') > 0;
  const worker = await until(async () => {
    const now = await scrape(url);
    return isDone(now) && now;
  }, 'the end of the run');
  samples = [...(await scrape(api.url)), ...worker];
});
afterAll(stopAll);

describe('the dashboard', () => {
  it.each(queries)('asks under "%s" for what processes say: %s', (_title, query) => {
    expect(queryFaults(query, samples)).toEqual([]);
  });

  it('says of every panel what it shows, and puts none over another', () => {
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
    );
    expect(new Set(places).size).toBe(places.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    expect(panels.filter(({ type, description = '' }) => type !== 'row' && description === '')).toEqual([]);
  });
});

describe('the alerts', () => {
  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s asks for what processes say', (_name, alert) => {
    expect(queryFaults(alert.expr, samples)).toEqual([]);
    expect(['critical', 'warning', 'info']).toContain(alert.labels.severity);
    expect(alert.annotations.summary).not.toBe('');
    expect(alert.annotations.description).not.toBe('');
  });

  it('are each explained', () => {
    const explained = [...guide.matchAll(/^\| `(Deckhand\w+)`/gm)].map(([, name]) => name);
    expect(explained).toEqual(alerts.map(({ alert }) => alert));
  });
});

describe('the list of metrics', () => {
  it('has every metric of both processes, and no other', () => {
    const listed = [...guide.matchAll(/^\| `(deckhand_\w+)`/gm)].map(([, name = '']) => name);
    const said = samples
      .map(({ name }) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => name.startsWith('deckhand_'));
    expect([...listed].sort()).toEqual([...new Set(said)].sort());
  });
});

describe('what holds queries to the processes', () => {
  const said = [{ name: 'a_total', labels: { status: 'x' }, value: 1 }];

  it('sees what nobody says', () => {
    expect(queryFaults('sum by (status) (rate(a_total{status="x", job="j"}[1m]))', said)).toEqual([]);
    expect(queryFaults('b_total + a_total{status="y"} + a_total{route=~".*"}', said)).toHaveLength(3);
    expect(queryFaults('sum by (rute) (a_total)', said)).toHaveLength(1);
    expect(() => parseQuery('sum(a_total')).toThrow('no PromQL');
  });
});
