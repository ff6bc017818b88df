{{- /* What the Pods of every app have in common. */ -}}
{{- define "deckhand.pod" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: tmp
    emptyDir: {}
{{- end -}}

{{- define "deckhand.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{- /* Where Pods of one app go: (list $ "api"). */ -}}
{{- define "deckhand.placement" -}}
{{- $root := index . 0 -}}
{{- $app := index $root.Values (index . 1) -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "deckhand.selector" . | nindent 8 }}
{{- with $app.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $app.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $app.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* Settings of one app over those of both: (list $ "api"). What is empty counts as not set. */ -}}
{{- define "deckhand.settings" -}}
{{- $root := index . 0 -}}
{{- $app := index $root.Values (index . 1) -}}
{{- range $name, $value := $root.Values.settings }}
{{- if not (hasKey $app.settings $name) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $app.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- /* Annotations of one app's Pods: (list $ "api"). Pods are replaced when the Secret of the chart changes. */ -}}
{{- define "deckhand.annotations" -}}
{{- $root := index . 0 -}}
checksum/secrets: {{ toYaml $root.Values.secrets | sha256sum }}
{{- with (index $root.Values (index . 1)).podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}
