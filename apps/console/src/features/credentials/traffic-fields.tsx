import { CredentialCircuit, CredentialRateLimit, type JsonObject, parseOwnJson } from '@deckhand/contracts';
import { Checkbox } from '@mantine/core';
import type { Traffic } from '../../api/credentials.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { i18n } from '../../language/i18n.ts';

const FIELDS = [
  {
    name: 'rateLimit',
    label: i18n.t('Limit the rate of requests'),
    description: i18n.t('For each host by itself, over all workers'),
    schema: parseOwnJson<JsonObject>(JSON.stringify(CredentialRateLimit)),
  },
  {
    name: 'circuit',
    label: i18n.t('Use a circuit breaker'),
    description: i18n.t('Sends no requests to a host while it fails'),
    schema: parseOwnJson<JsonObject>(JSON.stringify(CredentialCircuit)),
  },
] as const;

/** The limits of the requests of a credential: each is off, or has its own fields. */
export function TrafficFields({ traffic, onChange }: { traffic: Traffic; onChange: (traffic: Traffic) => void }) {
  return FIELDS.map(({ name, label, description, schema }) => {
    const value = traffic[name];
    return (
      <div key={name} role="group" aria-label={label}>
        <Checkbox
          label={label}
          description={description}
          checked={value !== null}
          mb={value === null ? 0 : 'sm'}
          onChange={(event) => onChange({ ...traffic, [name]: event.currentTarget.checked ? {} : null })}
        />
        {value !== null && (
          <SchemaForm schema={schema} value={value} onChange={(next) => onChange({ ...traffic, [name]: next })} />
        )}
      </div>
    );
  });
}
