import { ActionIcon, Group, Tooltip } from '@mantine/core';
import {
  AlignCenterHorizontal,
  AlignCenterVertical,
  AlignEndHorizontal,
  AlignEndVertical,
  AlignHorizontalDistributeCenter,
  AlignStartHorizontal,
  AlignStartVertical,
  AlignVerticalDistributeCenter,
  type LucideIcon,
} from 'lucide-react';
import { i18n } from '../../../language/i18n.ts';
import type { Alignment } from '../model/align.ts';

const ACTIONS: readonly (readonly [Alignment, string, LucideIcon])[] = [
  ['left', i18n.t('Align left'), AlignStartVertical],
  ['center', i18n.t('Align center'), AlignCenterVertical],
  ['right', i18n.t('Align right'), AlignEndVertical],
  ['top', i18n.t('Align top'), AlignStartHorizontal],
  ['middle', i18n.t('Align middle'), AlignCenterHorizontal],
  ['bottom', i18n.t('Align bottom'), AlignEndHorizontal],
  ['horizontally', i18n.t('Distribute horizontally'), AlignHorizontalDistributeCenter],
  ['vertically', i18n.t('Distribute vertically'), AlignVerticalDistributeCenter],
];

/** Arranges the selection. */
export function AlignBar({ onAlign }: { onAlign: (how: Alignment) => void }) {
  return (
    <Group gap={4} wrap="nowrap" role="toolbar" aria-label={i18n.t('Arrange the selection')}>
      {ACTIONS.map(([how, label, Icon]) => (
        <Tooltip key={how} label={label}>
          <ActionIcon variant="default" size={32} aria-label={label} onClick={() => onAlign(how)}>
            <Icon size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}
