import type { VersionEntry, Workflow } from '@deckhand/contracts';
import { Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { i18n } from '../../language/i18n.ts';
import classes from './comparison.module.css';
import { CANVAS, NOTHING } from './sides.ts';
import { marksOf } from './version-facts.ts';
import { VersionLine } from './versions.tsx';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** Selects the two sides of the comparison, which are also in the URL. */
export function SideChoice({
  workflow,
  versions,
  isDirty,
  before,
  after,
}: {
  workflow: Workflow;
  versions: readonly VersionEntry[];
  isDirty: boolean;
  before: string;
  after: string;
}) {
  const navigate = route.useNavigate();
  const saved = versions.map((version) => ({
    value: version.workflowVersionId,
    label: labelOf(version, workflow),
  }));
  const canvas = { value: CANVAS, label: isDirty ? i18n.t('Unsaved changes') : i18n.t('Canvas') };
  const nothing = { value: NOTHING, label: i18n.t('Empty workflow') };
  return (
    <div className={classes.sides}>
      <Side
        label={i18n.t('Before')}
        options={[...saved, nothing]}
        side={before}
        versions={versions}
        onChange={(next) => void navigate({ search: { before: next, after }, replace: true })}
      />
      <Side
        label={i18n.t('After')}
        options={isDirty || after === CANVAS ? [canvas, ...saved] : saved}
        side={after}
        versions={versions}
        onChange={(next) => void navigate({ search: { before, after: next }, replace: true })}
      />
    </div>
  );
}

function Side({
  label,
  options,
  side,
  versions,
  onChange,
}: {
  label: string;
  options: { value: string; label: string }[];
  side: string;
  versions: readonly VersionEntry[];
  onChange: (side: string) => void;
}) {
  const version = versions.find(({ workflowVersionId }) => workflowVersionId === side);
  return (
    <div>
      <Select
        label={label}
        data={options}
        allowDeselect={false}
        value={side}
        onChange={(next) => {
          if (next !== null) onChange(next);
        }}
        mb={4}
      />
      {version && <VersionLine version={version} />}
    </div>
  );
}

function labelOf({ workflowVersionId, number }: VersionEntry, workflow: Workflow): string {
  const marks = marksOf(workflowVersionId, workflow).join(', ').toLowerCase();
  return marks === ''
    ? i18n.t('Version {number}', { number })
    : i18n.t('Version {number} ({marks})', { number, marks });
}
