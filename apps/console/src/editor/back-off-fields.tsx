import type { NodeDefinition } from '@deckhand/contracts';
import { NumberField } from '../forms/number-field.tsx';
import { i18n } from '../language/i18n.ts';

type Retry = NonNullable<NodeDefinition['retry']>;

/** Longest delay of a definition: a day, in ms. */
const MAX_MS = 86_400_000;

/** The delays between the attempts of a node, in ms. The placeholders are the defaults. */
export function BackOffFields({ retry, onChange }: { retry: Retry | undefined; onChange: (retry: Retry) => void }) {
  const { maxAttempts, ...delays }: Retry = retry ?? { maxAttempts: 1 };
  const set = (name: keyof typeof delays, value: number | null): void => {
    const { [name]: _, ...others } = delays;
    onChange({ maxAttempts, ...others, ...(value !== null && { [name]: value }) });
  };
  return (
    <>
      <NumberField
        label={i18n.t('Retry delay (ms)')}
        description={i18n.t('Before the second attempt')}
        placeholder="1000"
        min={0}
        max={MAX_MS}
        allowDecimal={false}
        value={delays.delayMs ?? null}
        onChange={(value) => set('delayMs', value)}
      />
      <NumberField
        label={i18n.t('Back-off factor')}
        description={i18n.t('Multiplies the delay after each attempt')}
        placeholder="2"
        min={1}
        max={10}
        value={delays.factor ?? null}
        onChange={(value) => set('factor', value)}
      />
      <NumberField
        label={i18n.t('Max delay (ms)')}
        placeholder="60000"
        min={0}
        max={MAX_MS}
        allowDecimal={false}
        value={delays.maxDelayMs ?? null}
        onChange={(value) => set('maxDelayMs', value)}
      />
    </>
  );
}
