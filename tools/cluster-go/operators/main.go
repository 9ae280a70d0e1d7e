// Runs the controllers of JobSet, Kubeflow's training operator and KubeRay, each as its project wrote it, against one
// cluster. Their own main programs serve webhooks as well, which an operator outside of its cluster cannot; here only
// the controllers run, so objects must carry what the webhooks would have filled in.
//
//	operators -enable jobset,kubeflow,ray [-gang-scheduler-name volcano]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	kubeflowconfig "github.com/kubeflow/training-operator/pkg/config"
	kubeflow "github.com/kubeflow/training-operator/pkg/controller.v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	rayconfig "github.com/ray-project/kuberay/ray-operator/apis/config/v1alpha1"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/batchscheduler"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	jobsetcontrollers "sigs.k8s.io/jobset/pkg/controllers"
	schedulerplugins "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
	volcanoclient "volcano.sh/apis/pkg/client/clientset/versioned"
)

const volcanoName = "volcano"

// The gang scheduler that the operators make PodGroups for; empty: none are made.
type setup func(ctx context.Context, mgr ctrl.Manager, gangScheduler string) error

var operators = map[string]setup{"jobset": startJobSet, "kubeflow": startKubeflow, "ray": startRay}

func main() {
	names := flag.String("enable", "", "operators to run, separated by commas: jobset, kubeflow, ray")
	gangScheduler := flag.String("gang-scheduler-name", "", "empty or volcano: who the operators make PodGroups for")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(strings.Split(*names, ","), *gangScheduler); err != nil {
		fmt.Fprintln(os.Stderr, "operators:", err)
		os.Exit(1)
	}
}

func run(names []string, gangScheduler string) error {
	if gangScheduler != "" && gangScheduler != volcanoName {
		return fmt.Errorf("no gang scheduler named %q", gangScheduler)
	}
	scheme := runtime.NewScheme()
	if err := addToScheme(scheme); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	for _, name := range names {
		start, known := operators[name]
		if !known {
			return fmt.Errorf("no operator named %q", name)
		}
		if err := start(ctx, mgr, gangScheduler); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return mgr.Start(ctx)
}

func addToScheme(scheme *runtime.Scheme) error {
	return errors.Join(clientgoscheme.AddToScheme(scheme), jobset.AddToScheme(scheme), kubeflowv1.AddToScheme(scheme),
		rayv1.AddToScheme(scheme), volcano.AddToScheme(scheme), schedulerplugins.AddToScheme(scheme))
}

func startJobSet(ctx context.Context, mgr ctrl.Manager, _ string) error {
	if err := jobsetcontrollers.SetupJobSetIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	recorder := mgr.GetEventRecorderFor("jobset")
	return jobsetcontrollers.NewJobSetReconciler(mgr.GetClient(), mgr.GetScheme(), recorder).SetupWithManager(mgr)
}

func startKubeflow(_ context.Context, mgr ctrl.Manager, gangScheduler string) error {
	kubeflowconfig.Config.PyTorchInitContainerImage = kubeflowconfig.PyTorchInitContainerImageDefault
	kubeflowconfig.Config.PyTorchInitContainerTemplateFile = kubeflowconfig.PyTorchInitContainerTemplateFileDefault
	kubeflowconfig.Config.PyTorchInitContainerMaxTries = kubeflowconfig.PyTorchInitContainerMaxTriesDefault
	kubeflowconfig.Config.MPIKubectlDeliveryImage = kubeflowconfig.MPIKubectlDeliveryImageDefault
	gangs := common.GenNonGangSchedulerSetupFunc()
	if gangScheduler == volcanoName {
		gangs = common.GenVolcanoSetupFunc(volcanoclient.NewForConfigOrDie(mgr.GetConfig()))
	}
	for _, kind := range []string{kubeflowv1.PyTorchJobKind, kubeflowv1.TFJobKind, kubeflowv1.MPIJobKind} {
		if err := kubeflow.SupportedSchemeReconciler[kind](mgr, gangs, 1); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func startRay(ctx context.Context, mgr ctrl.Manager, gangScheduler string) error {
	config := rayconfig.Configuration{BatchScheduler: gangScheduler}
	gangs, err := batchscheduler.NewSchedulerManager(ctx, config, mgr.GetConfig(), mgr.GetClient())
	if err != nil {
		return err
	}
	gangs.AddToScheme(mgr.GetScheme())
	clusters := ray.NewReconciler(ctx, mgr, ray.RayClusterReconcilerOptions{BatchSchedulerManager: gangs})
	if err := clusters.SetupWithManager(mgr, 1); err != nil {
		return err
	}
	options := ray.RayJobReconcilerOptions{BatchSchedulerManager: gangs}
	return ray.NewRayJobReconciler(ctx, mgr, options, config).SetupWithManager(mgr, 1)
}
